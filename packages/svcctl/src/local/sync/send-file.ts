/** Uploads one file of a linked folder. */

import { lstat, readlink } from "node:fs/promises";
import { uploadObject } from "../../transfer/upload/upload-object.ts";
import { CLIENT_MTIME } from "../compare/object-times.ts";
import { fileBelow } from "../files/file-below.ts";
import { POSIX_PERMISSIONS, permissionsText } from "../files/permissions.ts";
import { SYMLINK_TARGET } from "../files/symlinks.ts";
import { remotePath } from "./remote-path.ts";
import type { Sync } from "./sync-types.ts";

/** Uploads content and time, and where the settings keep them, permissions and targets of links. */
export async function sendFile(sync: Sync, path: string): Promise<void> {
  const { link, root, remote, settings, mode, progress, signal } = sync;
  const file = await fileBelow(root, path);
  const stats = await lstat(file);
  const isLink = settings.symlinks && stats.isSymbolicLink();
  const metadata: Record<string, string> = {
    [CLIENT_MTIME]: String(Math.floor(stats.mtimeMs / 1000)),
    ...(isLink && { [SYMLINK_TARGET]: await readlink(file) }),
    ...(settings.permissions && !isLink && { [POSIX_PERMISSIONS]: permissionsText(stats) }),
  };
  const source = { file, size: stats.isFile() ? stats.size : 0 };
  progress.expect(source.size);
  const place = { repository: remote.repository, ref: remote.ref, path: remotePath(remote, path) };
  const traits = { contentType: "", metadata };
  await uploadObject(link, { place, source, traits, progress, signal }, mode);
}
