/** The time at which an object changed, as the client that uploaded it said, else as the server says. */

import type { JsonObject } from "../../api/api-client.ts";
import { metadataOf } from "../../objects/object-stats.ts";

/** Metadata with the time of the file that was uploaded, in seconds since 1970. */
export const CLIENT_MTIME = "::lakefs::client-mtime";

/**
 * Seconds since 1970.
 * @throws Error where the metadata has something else
 */
export function mtimeOf(stats: JsonObject): number {
  const given = metadataOf(stats).get(CLIENT_MTIME);
  if (given === undefined) return Number(stats["mtime"] ?? 0);
  if (!/^-?\d{1,15}$/.test(given))
    throw new Error(`${CLIENT_MTIME}: expected seconds, not ${JSON.stringify(given)}`);
  return Number(given);
}
