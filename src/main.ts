/** The process edge of svc-authorizer: arguments, signals, exit code. */

import { runAuthorizer } from "./cli/program.ts";

// A reader of our output may stop early, as `head` does. That is no failure, and a service goes on.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// What a command waits for may be a timer that keeps no process alive, such as one of a node that follows its database.
const untilDone = setInterval(() => {}, 2 ** 30);
process.exitCode = await runAuthorizer(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  onStop(listener) {
    process.on("SIGTERM", listener);
    process.on("SIGINT", listener);
  },
  onReload(listener) {
    process.on("SIGHUP", listener);
  },
  abort(code) {
    process.exit(code);
  },
});
clearInterval(untilDone);
