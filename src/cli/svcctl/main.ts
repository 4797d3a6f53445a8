/** The process edge of svcctl. */

import { runSvcctl } from "./program.ts";

// Whoever reads our output may stop early, as `head` does: that is their right and no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await runSvcctl(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
});
