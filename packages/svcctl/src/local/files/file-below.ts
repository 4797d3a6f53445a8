/** Names of objects as paths of files: no object leads out of its folder, or through a link. */

import { lstat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";

/**
 * The path of the file that an object belongs to.
 * @param root absolute
 * @throws Error where the name leads out of the folder, or a folder on the way is a symbolic link
 */
export async function fileBelow(root: string, name: string): Promise<string> {
  const file = pathBelow(root, name);
  await refuseLinks(root, name, dirname(file));
  return file;
}

/**
 * Folders that files of one run go into: each is looked at and made once. A folder that becomes a link meanwhile is not
 * noticed; whoever can do that can also move what arrives.
 */
export class TargetFolders {
  readonly #root: string;
  readonly #isNew = new Map<string, Promise<boolean>>();

  /** @param root absolute */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The path of a file, whose folder is there, and whether that was there before. Throws as {@link fileBelow}.
   */
  async place(name: string): Promise<{ readonly file: string; readonly inNewFolder: boolean }> {
    const file = pathBelow(this.#root, name);
    const folder = dirname(file);
    const known = this.#isNew.get(folder) ?? this.#enter(folder, name);
    this.#isNew.set(folder, known);
    return { file, inNewFolder: await known };
  }

  async #enter(folder: string, name: string): Promise<boolean> {
    await refuseLinks(this.#root, name, folder);
    return makeFolder(folder) !== undefined;
  }
}

function pathBelow(root: string, name: string): string {
  const file = resolve(root, `./${name}`);
  if (!file.startsWith(baseOf(root)) || name.includes("\0"))
    throw new Error(`${name}: bad path traversal blocked`);
  return file;
}

async function refuseLinks(root: string, name: string, innermost: string): Promise<void> {
  const base = baseOf(root);
  for (let folder = innermost; folder.length >= base.length; folder = dirname(folder)) {
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isSymbolicLink() === true) throw new Error(`${name}: directory '${folder}' is a symlink`);
  }
}

function baseOf(root: string): string {
  return root.endsWith(sep) ? root : root + sep;
}
