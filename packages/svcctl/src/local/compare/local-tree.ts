/** Files of a folder in the order in which a data server lists objects. */

import type { Stats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { LocalSettings } from "../../settings/load-settings.ts";
import { INDEX_NAME } from "../files/index-file.ts";

/** Names that are never compared. */
const IGNORED: ReadonlySet<string> = new Set([INDEX_NAME, ".DS_Store"]);

/** Endings of the files that an unfinished download leaves. */
const UNFINISHED = /\.svcctl-parts?$/;

/** A file, a folder or a link. */
export interface LocalEntry {
  /** Below the root, with slashes; that of a folder ends with one. */
  readonly path: string;
  readonly stats: Stats;
  /** Of a symbolic link. */
  readonly target?: string;
}

/**
 * Each file below a folder; folders too where permissions are kept. Names are ordered by their bytes, a folder's with
 * its slash.
 * @throws Error for what is neither file nor folder, unless the settings leave it out
 */
export async function* localTree(
  root: string,
  settings: LocalSettings,
  below = "",
): AsyncGenerator<LocalEntry> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  const named = entries
    .map((entry) => ({ entry, path: below + entry.name + (entry.isDirectory() ? "/" : "") }))
    .sort((left, right) => compareUtf8(left.path, right.path));
  for (const { entry, path } of named) {
    if (path.includes("\ufffd")) throw new Error(`${path}: the name is not UTF-8`);
    if (entry.isDirectory()) {
      if (settings.permissions) yield { path, stats: await lstat(join(root, path)) };
      yield* localTree(root, settings, path);
    } else if (!IGNORED.has(entry.name) && !UNFINISHED.test(entry.name)) {
      if (entry.isFile()) yield { path, stats: await lstat(join(root, path)) };
      else if (settings.skipNonRegular) continue;
      else if (entry.isSymbolicLink() && settings.symlinks) {
        const file = join(root, path);
        yield { path, stats: await lstat(file), target: await readlink(file) };
      } else throw new Error(`${entry.name}: not a regular file`);
    }
  }
}
