/** Removes empty folders. */

import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders of git: one without its empty `refs/` is no repository for git any more. */
const GIT = ".git";

/** Removes folders below this one that are empty, or have only such folders in them; none of git's own. */
export async function pruneFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name === GIT) continue;
    const below = join(folder, entry.name);
    await pruneFolders(below);
    if ((await readdir(below)).length === 0) await rmdir(below);
  }
}
