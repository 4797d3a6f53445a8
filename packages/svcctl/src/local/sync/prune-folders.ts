/** Removes empty folders. */

import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

/** Removes folders below this one that are empty, or have only such folders in them. */
export async function pruneFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const below = join(folder, entry.name);
    await pruneFolders(below);
    if ((await readdir(below)).length === 0) await rmdir(below);
  }
}
