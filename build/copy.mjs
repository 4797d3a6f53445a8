// Copies the files that stand beside compiled sources. Paths keep their place, so that code finds them from any tree.

import { cpSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, root } from "./compile.mjs";

/** Among the data sets are broken ones for tests, and programs that generate large ones. */
function isShipped(path) {
  return !path.endsWith(".ts") && basename(path) !== "invalid";
}

/** Copies paths of the clone, or `[from, to]` where the name changes. */
export function copy(out, paths) {
  for (const path of paths) {
    const [from, to] = [path].flat().length === 2 ? path : [path, path];
    if (!existsSync(join(root, from))) fail(`${from} is missing`);
    mkdirSync(dirname(join(out, to)), { recursive: true });
    cpSync(join(root, from), join(out, to), { recursive: true, filter: isShipped });
  }
}
