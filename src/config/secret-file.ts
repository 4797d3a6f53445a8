/** Secrets in files: the first line counts, so that an editor's line break at the end does no harm. */

import { readFileSync } from "node:fs";
import { readFaultOf } from "./read-fault.ts";

/** The secret of a file, which may be "", or the fault of reading it. */
export function readSecretFile(file: string): { readonly secret: string } | { readonly fault: string } {
  try {
    const [first = ""] = readFileSync(file, "utf8").split("\n");
    return { secret: first.trim() };
  } catch (error) {
    return { fault: readFaultOf(error) };
  }
}
