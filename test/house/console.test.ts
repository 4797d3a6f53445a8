/** The console's types: it has a compiler configuration of its own, as it runs in browsers. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

it("compiles, with the types of the API as the service declares them", () => {
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", "packages/console/src"], { cwd: ROOT, stdio: "pipe" });
});
