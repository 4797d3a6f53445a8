/** An object as the data server describes it. */

import type { ApiClient, JsonObject } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import { textField } from "../output/fields.ts";
import type { ObjectPlace } from "../transfer/upload/upload-body.ts";

/** Fetches the description. */
export function fetchStats(
  api: ApiClient,
  { repository, ref, path }: ObjectPlace,
  presign: boolean,
): Promise<JsonObject> {
  const query = { path, presign, user_metadata: true };
  const call = ["repositories", repository, "refs", ref, "objects", "stat"];
  return api.fetchObject({ method: "GET", path: call, query, expect: 200 });
}

/** Size in bytes and checksum. */
export function sizeAndChecksum(stats: JsonObject): { readonly size: number; readonly checksum: string } {
  const size = Number(stats["size_bytes"] ?? 0);
  return { size, checksum: textField(stats, "checksum") };
}

/** Metadata of an object by name. */
export function metadataOf(stats: JsonObject): ReadonlyMap<string, string> {
  const { metadata } = stats;
  const entries = isObject(metadata) ? Object.entries(metadata) : [];
  return new Map(entries.map(([name, value]) => [name, String(value)]));
}
