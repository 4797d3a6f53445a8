/** Programs of the machine that some tests need. */

import { execFileSync } from "node:child_process";

/** True where a program is installed. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync("which", [name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
