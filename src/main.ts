/** The process edge of svc-authorizer: arguments, signals, exit code. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { runAuthorizer } from "./cli/program.ts";

/** Longest time that the process stays after its service has ended, in milliseconds. */
const LINGER_MS = 1_000;

const args = process.argv.slice(2);

// A reader of our output may stop early, as `head` does. That is no failure, and a service goes on, whatever becomes of it.
let isLost = false;
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE" || isLost) return;
  isLost = true;
  process.stderr.write(`standard output cannot be written (${code})\n`);
  process.exitCode = exitCodeOf(process.exitCode ?? EXIT.ok);
});
process.stderr.on("error", () => {});

// What a command waits for may be a timer that keeps no process alive, such as one of a node that follows its database.
const untilDone = setInterval(() => {}, 2 ** 30);
const code = await runAuthorizer(args, {
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
process.exitCode = exitCodeOf(code);
clearInterval(untilDone);
// A service that has ended has written all that it had to. A call of a server that does not answer may hold the process.
if (args[0] === "run") setTimeout(() => process.exit(), LINGER_MS).unref();

/** A command that has not said all that it was asked for has failed. */
function exitCodeOf(code: number | string): number | string {
  return code === EXIT.ok && isLost && args[0] !== "run" ? EXIT.failed : code;
}
