/** The process edge of svcctl. */

import { EXIT } from "../exit-codes.ts";
import { runSvcctl } from "./program.ts";

// A reader of our output may stop early, as `head` does. That is no failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(EXIT.ok);
  process.stderr.write(`standard output cannot be written (${code})\nError executing command.\n`);
  process.exit(EXIT.failed);
});

process.exitCode = await runSvcctl(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
});
