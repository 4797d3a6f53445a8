/** Files that are there whole or as they were: whatever ends the program, or the room on the disk. */

import { randomUUID } from "node:crypto";
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Writes a file, in place of the one that is there: that keeps its mode, and a symbolic link to it stays. A device or a FIFO is
 * written to.
 * @param mode of a file that is not there yet
 * @throws Error of the file system; what was there is as it was then
 */
export async function writeWhole(path: string, content: string | Buffer, mode = 0o666): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) return writeFile(path, content);
  const target = found === undefined ? path : await realpath(path);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, content, { mode: found?.mode ?? mode, flag: "wx" });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
