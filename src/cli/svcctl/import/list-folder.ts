/** Files of a folder of this machine, which the data server has too. */

import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { md5OfFile } from "../transfer/download-object.ts";
import type { SourceObject } from "./object-source.ts";

/** Lists regular files whose paths begin with that of the URI; links are not followed. */
export async function* listFolder(uri: URL): AsyncGenerator<SourceObject> {
  const prefix = decodeURIComponent(uri.pathname);
  const root = prefix.endsWith("/") ? prefix : `${dirname(prefix)}/`;
  for await (const path of filesBelow(root, "")) {
    const file = join(root, path);
    if (!file.startsWith(prefix)) continue;
    const { size, mtimeMs } = await lstat(file);
    const checksum = await md5OfFile(file);
    yield { address: `local://${file}`, relative: path, size, checksum, mtime: Math.floor(mtimeMs / 1000) };
  }
}

async function* filesBelow(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = below + entry.name;
    if (entry.isDirectory()) yield* filesBelow(root, `${path}/`);
    else if (entry.isFile()) yield path;
  }
}
