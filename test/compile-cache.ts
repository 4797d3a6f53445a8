/**
 * Programs that tests start find their compiled code of an earlier start: without it the service spends half of the CPU time
 * of a start on compiling its sources, and the tests start it many hundred times.
 */

import { rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Below the home folder, as the launcher's: whoever could write into a shared one would run as us. */
const FOLDER = join(homedir(), ".cache", "svc-authorizer", "compile-of-tests");
/** After this, code is compiled again, so that what is of files that are gone does not stay. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Called once before the tests; what is set here is set for their processes. */
export default function keepCompiled(): void {
  process.env["NODE_COMPILE_CACHE"] ??= FOLDER;
  try {
    const { birthtimeMs } = statSync(FOLDER);
    if (Date.now() - birthtimeMs > KEPT_MS) rmSync(FOLDER, { recursive: true, force: true });
  } catch {
    // Nothing is there yet.
  }
}
