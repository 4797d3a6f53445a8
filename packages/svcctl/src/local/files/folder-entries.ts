/** Lists folders. */

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { openFault } from "@svc-authorizer/commands/settings/settings-file.ts";

/**
 * The entries of a folder, by name.
 * @throws Error in the words of the data server's own tool, such as `lstat X: no such file or directory`
 */
export async function folderEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    const call = (error as NodeJS.ErrnoException).code === "ENOENT" ? "lstat" : "open";
    throw new Error(openFault(folder, error, call), { cause: error });
  }
}
