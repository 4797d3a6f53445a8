/** Compares a folder with objects of a repository: by size and time, without reading contents. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { ApiClient, JsonObject } from "../../api/api-client.ts";
import type { CommandCall } from "../../command.ts";
import { eachObject } from "../../objects/list-objects.ts";
import { metadataOf, sizeAndChecksum } from "../../objects/object-stats.ts";
import { textField } from "../../output/fields.ts";
import type { LocalSettings } from "../../settings/load-settings.ts";
import { type SvcUri, uriText } from "../../uri/svc-uri.ts";
import { POSIX_PERMISSIONS, permissionsDiffer } from "../files/permissions.ts";
import { SYMLINK_TARGET } from "../files/symlinks.ts";
import type { Change } from "./changes.ts";
import { type LocalEntry, localTree } from "./local-tree.ts";
import { mtimeOf } from "./object-times.ts";

/** An object, with its path below the linked one. */
interface RemoteEntry {
  readonly path: string;
  readonly stats: JsonObject;
}

/**
 * Lists the changes of a folder since it was the same as a commit, in the order of paths. Says what it compares.
 * @param remote with the commit as its ref
 * @param root absolute
 * @param shown what people see of it
 */
export async function compareFolder(
  call: CommandCall,
  api: ApiClient,
  remote: SvcUri,
  root: string,
  settings: LocalSettings,
  shown = root,
): Promise<readonly Change[]> {
  say(call, `\ndiff 'local://${safeText(shown)}' <--> '${safeText(uriText(remote))}'...\n`);
  const changes: Change[] = [];
  const add = (path: string, type: Change["type"]): void =>
    void changes.push({ source: "local", path, type });
  const objects = remoteEntries(api, remote, settings.permissions);
  let object = await next(objects);
  for await (const entry of localTree(root, settings)) {
    while (object !== undefined && compareUtf8(object.path, entry.path) < 0) {
      if (settings.permissions || !object.path.endsWith("/")) add(object.path, "removed");
      object = await next(objects);
    }
    if (object?.path !== entry.path) add(entry.path, "added");
    else {
      if (hasChanged(entry, object.stats, settings)) add(entry.path, "modified");
      object = await next(objects);
    }
  }
  for (; object !== undefined; object = await next(objects)) add(object.path, "removed");
  return changes;
}

/** Prints for people only. */
export function say({ context }: CommandCall, text: string): void {
  if (context.format === "table") context.out(text);
}

async function next(objects: AsyncGenerator<RemoteEntry>): Promise<RemoteEntry | undefined> {
  const { value, done } = await objects.next();
  return done === true ? undefined : value;
}

/** Objects below the linked path. Those that stand for folders only where permissions are kept. */
async function* remoteEntries(api: ApiClient, remote: SvcUri, folders: boolean): AsyncGenerator<RemoteEntry> {
  const { repository, ref, path: prefix = "" } = remote;
  for await (const stats of eachObject(api, { repository, ref, prefix, userMetadata: true })) {
    const below = textField(stats, "path").slice(prefix.length);
    const standsForFolder = below === "" || (below.endsWith("/") && sizeAndChecksum(stats).size === 0);
    const path = below.replace(/^\//, "");
    if ((folders || !standsForFolder) && path !== "") yield { path, stats };
  }
}

function hasChanged({ stats, target }: LocalEntry, object: JsonObject, settings: LocalSettings): boolean {
  const metadata = metadataOf(object);
  if (target !== undefined) return metadata.get(SYMLINK_TARGET) !== target;
  if (!stats.isDirectory() && stats.size !== sizeAndChecksum(object).size) return true;
  if (Math.floor(stats.mtimeMs / 1000) !== mtimeOf(object)) return true;
  return permissionsDiffer(stats, metadata.get(POSIX_PERMISSIONS), settings);
}
