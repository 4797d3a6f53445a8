/** Entries that follow one another, whatever happens to the log meanwhile. */

import type { ChangeLog, EntryName, LoggedEntry } from "./ports.ts";

/**
 * Returns the entries after one, oldest first, at most `limit`; undefined where that one is not in the log, as after a
 * database was put back, or some behind it are no longer kept. The log may become another one while it is read: then what
 * was read need not follow, so that the entry is looked up before and after.
 */
export async function entriesAfter(
  log: ChangeLog,
  { revision, id }: EntryName,
  limit: number,
): Promise<readonly LoggedEntry[] | undefined> {
  if ((await log.idOf(revision)) !== id) return undefined;
  const entries = await log.entries(revision, limit);
  return (await log.idOf(revision)) === id ? entries : undefined;
}
