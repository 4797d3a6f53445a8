/** `svcctl fs download --recursive`. */

import { lstat } from "node:fs/promises";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandCall } from "../command.ts";
import { TargetFolders } from "../local/files/file-below.ts";
import { placeSymlink, SYMLINK_TARGET } from "../local/files/symlinks.ts";
import { movedLine } from "../local/sync/moved-line.ts";
import { summaryOf } from "../local/sync/sync-summary.ts";
import { eachObject } from "../objects/list-objects.ts";
import { metadataOf, sizeAndChecksum } from "../objects/object-stats.ts";
import { textField } from "../output/fields.ts";
import { isMd5, md5OfFile } from "../transfer/checksum.ts";
import type { ContentLink } from "../transfer/connection/content-link.ts";
import { downloadObject } from "../transfer/download/download-object.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { openProgress, type Progress } from "../transfer/progress.ts";
import { type SvcUri, uriText } from "../uri/svc-uri.ts";

/** Options of a download into a folder. */
interface FolderDownload {
  /** Absolute. */
  readonly folder: string;
  readonly presign: boolean;
  readonly partSize: number;
  readonly parallelism: number;
}

/** An object below the path. */
interface Item {
  readonly path: string;
  /** Below the folder. */
  readonly relative: string;
  readonly size: number;
  readonly checksum: string;
  /** Target of a symbolic link. */
  readonly target: string | undefined;
}

/**
 * Downloads all objects below a path. Files that are there with the same content stay as they are, so a download that
 * was interrupted goes on where it ended.
 */
export async function downloadFolder(
  call: CommandCall,
  link: ContentLink,
  remote: SvcUri,
  { folder, presign, partSize, parallelism }: FolderDownload,
): Promise<void> {
  const { context } = call;
  const { repository, ref } = remote;
  const progress = await openProgress(call, "Downloading");
  const warn = (text: string): void => context.err(`${safeText(text)}\n`);
  const moved = movedLine(call, 0);
  let downloaded = 0;
  let present = 0;
  const folders = new TargetFolders(folder);
  const fetchItem = async (item: Item, signal: AbortSignal): Promise<void> => {
    const { path, size, checksum, relative } = item;
    const { file, inNewFolder } = await folders.place(relative);
    if (!inNewFolder && (await isThere(file, item, signal))) {
      progress.expect(-size);
      present += 1;
      return;
    }
    if (item.target !== undefined) {
      if (!link.api.settings.local.skipNonRegular) await placeSymlink(item.target, file);
    } else {
      const place = { repository, ref, path };
      const stats = { size, checksum };
      await downloadObject(link, { place, stats, file, presign, partSize, progress, warn, signal });
    }
    downloaded += 1;
    moved(`download ${relative}`);
  };
  try {
    await interruptible(context, (signal) =>
      forEachParallel(itemsOf(link, remote, progress), parallelism, fetchItem, signal),
    );
  } finally {
    progress.end();
  }
  if (present > 0) warn(`${present} files were there already with the same content`);
  await summaryOf(call, "Download", { downloaded, uploaded: 0, removed: 0 });
}

async function* itemsOf(link: ContentLink, remote: SvcUri, progress: Progress): AsyncGenerator<Item> {
  const { repository, ref, path = "" } = remote;
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  const { symlinks } = link.api.settings.local;
  let any = false;
  for await (const stats of eachObject(link.api, { repository, ref, prefix, userMetadata: true })) {
    any = true;
    const object = textField(stats, "path");
    const relative = object.slice(prefix.length).replace(/^\//, "");
    // Names that end with a slash stand for folders.
    if (relative === "" || relative.endsWith("/")) continue;
    const target = symlinks ? metadataOf(stats).get(SYMLINK_TARGET) : undefined;
    const described = sizeAndChecksum(stats);
    progress.expect(described.size);
    yield { path: object, relative, target, ...described };
  }
  if (!any) throw new Error(`No objects in path: ${safeText(uriText({ ...remote, path: prefix }))}`);
}

async function isThere(
  file: string,
  { size, checksum, target }: Item,
  signal: AbortSignal,
): Promise<boolean> {
  if (target !== undefined || !isMd5(checksum)) return false;
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() !== true || found.size !== size) return false;
  return (await md5OfFile(file, signal)) === checksum.toLowerCase();
}
