/** The process edge of svcctl. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { runSvcctl } from "./program.ts";

// A reader of our output may stop early, as `head` does. That is no failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(EXIT.ok);
  process.stderr.write(`standard output cannot be written (${code})\nError executing command.\n`);
  process.exit(EXIT.failed);
});

/** Hands Ctrl-C and SIGTERM to a command that ends in order; a second one ends the process at once. */
function onInterrupt(listener: () => void): () => void {
  process.once("SIGINT", listener);
  process.once("SIGTERM", listener);
  return () => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
}

process.exitCode = await runSvcctl(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  onInterrupt,
});
