/** Names of objects as paths of files: no object leads out of its folder, or through a link. */

import { lstat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";

/**
 * The path of the file that an object belongs to.
 * @param root absolute
 * @throws Error where the name leads out of the folder, or a folder on the way is a symbolic link
 */
export async function fileBelow(root: string, name: string): Promise<string> {
  const file = resolve(root, `./${name}`);
  const base = root.endsWith(sep) ? root : root + sep;
  if (!file.startsWith(base) || name.includes("\0")) throw new Error(`${name}: bad path traversal blocked`);
  for (let folder = dirname(file); folder.length >= base.length; folder = dirname(folder)) {
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isSymbolicLink() === true) throw new Error(`${name}: directory '${folder}' is a symlink`);
  }
  return file;
}
