/** Downloads one object of a linked folder. */

import { rm, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { fetchStats, metadataOf, sizeAndChecksum } from "../../objects/object-stats.ts";
import { downloadObject } from "../../transfer/download/download-object.ts";
import { mtimeOf } from "../compare/object-times.ts";
import { fileBelow } from "../files/file-below.ts";
import { applyPermissions, POSIX_PERMISSIONS } from "../files/permissions.ts";
import { placeSymlink, SYMLINK_TARGET } from "../files/symlinks.ts";
import { remotePath } from "./remote-path.ts";
import type { Sync } from "./sync-types.ts";

/** Bytes of a part; larger objects are downloaded in parts. */
const PART_SIZE = 8 * 1024 * 1024;

/**
 * Downloads content, time and, where the settings keep them, permissions.
 * @returns false for an object that stands for a folder, which is made only with permissions
 */
export async function fetchFile(sync: Sync, path: string): Promise<boolean> {
  const { link, root, remote, settings, mode, progress, warn, signal } = sync;
  const file = await fileBelow(root, path);
  const place = { repository: remote.repository, ref: remote.ref, path: remotePath(remote, path) };
  const isFolder = path.endsWith("/");
  if (isFolder && !settings.permissions) return false;
  const stats = await fetchStats(link.api, place, false);
  const metadata = metadataOf(stats);
  const target = settings.symlinks ? metadata.get(SYMLINK_TARGET) : undefined;
  if (isFolder) makeFolder(file);
  else if (target !== undefined) {
    await placeSymlink(target, file);
    return true;
  } else {
    makeFolder(dirname(file));
    const described = sizeAndChecksum(stats);
    progress.expect(described.size);
    const { presign } = mode;
    // A link in its place is not followed.
    await rm(file, { force: true });
    await downloadObject(link, {
      place,
      stats: described,
      file,
      presign,
      partSize: PART_SIZE,
      progress,
      warn,
      signal,
    });
  }
  if (settings.permissions) await applyPermissions(file, metadata.get(POSIX_PERMISSIONS), settings, isFolder);
  await utimes(file, Date.now() / 1000, mtimeOf(stats));
  return true;
}
