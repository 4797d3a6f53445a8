/** Makes a folder and a repository the same: downloads, uploads and deletes what changed. */

import { lstat, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import type { Change } from "../compare/changes.ts";
import { fileBelow } from "../files/file-below.ts";
import { INDEX_NAME } from "../files/index-file.ts";
import { fetchFile } from "./fetch-file.ts";
import { pruneFolders } from "./prune-folders.ts";
import { sendFile } from "./send-file.ts";
import type { Sync, Tasks } from "./sync-types.ts";

/**
 * Applies the changes, several at once; folders are removed after what was in them.
 * @throws Error that names the path which failed
 */
export async function applyChanges(sync: Sync): Promise<Tasks> {
  const tasks: Tasks = { downloaded: 0, uploaded: 0, removed: 0 };
  const folders: string[] = [];
  await forEachParallel(
    sync.changes,
    sync.parallelism,
    async (change, signal) => {
      const { path, source, type } = change;
      if (path === INDEX_NAME) return sync.warn(`${path} is an object too: it is left out`);
      const removesFolder = source === "remote" && type === "removed" && path.endsWith("/");
      if (removesFolder) folders.push(path);
      else await applyOne({ ...sync, signal }, change, tasks);
    },
    sync.signal,
  );
  for (const path of folders.sort().reverse()) {
    await rmdir(await fileBelow(sync.root, path)).catch(() => {});
    tasks.removed += 1;
  }
  if (sync.prune && !sync.settings.permissions) await pruneFolders(sync.root);
  return tasks;
}

async function applyOne(sync: Sync, { path, source, type }: Change, tasks: Tasks): Promise<void> {
  if (type === "conflict") throw new Error(`${path}: conflict`);
  if (type === "removed") {
    if (source === "remote") await named("delete local", path, () => removeLocal(sync, path));
    else await named("delete remote", path, () => removeRemote(sync, path));
    tasks.removed += 1;
    sync.moved(source === "remote" ? `delete local: ${path}` : `delete remote path: ${path}`);
  } else if (source === "remote") {
    const fetched = await named("download", path, () => fetchFile(sync, path));
    if (!fetched) return;
    tasks.downloaded += 1;
    sync.moved(`download ${path}`);
  } else {
    await named("upload", path, () => sendFile(sync, path));
    tasks.uploaded += 1;
    sync.moved(`upload ${path}`);
  }
}

async function named<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === "Interrupted") throw error;
    throw new Error(`${verb} ${path} failed: ${error.message}`, { cause: error });
  }
}

async function removeLocal({ root }: Sync, path: string): Promise<void> {
  const file = await fileBelow(root, path);
  if ((await lstat(file).catch(() => undefined)) !== undefined) await rm(file);
}

async function removeRemote({ link, remote }: Sync, path: string): Promise<void> {
  await link.api.perform({
    method: "DELETE",
    path: ["repositories", remote.repository, "branches", remote.ref, "objects"],
    query: { path: join(remote.path ?? "", "/", path).replace(/^\//, "") },
    expect: 204,
  });
}
