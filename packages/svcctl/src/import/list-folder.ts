/** Files of a folder of this machine, which the data server has too. */

import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderEntries } from "../local/files/folder-entries.ts";
import { md5OfFile } from "../transfer/checksum.ts";
import type { SourceObject } from "./object-source.ts";

/** Lists regular files whose paths begin with that of the URI; links are not followed. */
export async function* listFolder(uri: URL): AsyncGenerator<SourceObject> {
  const prefix = decodeURIComponent(uri.pathname);
  const root = prefix.endsWith("/") ? prefix : `${dirname(prefix)}/`;
  for await (const path of filesBelow(root, "", prefix.slice(root.length))) {
    const file = join(root, path);
    const { size, mtimeMs } = await lstat(file);
    const checksum = await md5OfFile(file);
    yield { address: `local://${file}`, relative: path, size, checksum, mtime: Math.floor(mtimeMs / 1000) };
  }
}

/** Paths of the files in a folder, and below the folders in it, of those whose names begin with `start`. */
async function* filesBelow(root: string, below: string, start = ""): AsyncGenerator<string> {
  for (const entry of await folderEntries(join(root, below))) {
    if (!entry.name.startsWith(start)) continue;
    const path = below + entry.name;
    if (entry.isDirectory()) yield* filesBelow(root, `${path}/`);
    else if (entry.isFile()) yield path;
  }
}
