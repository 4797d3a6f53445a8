/** Logs that lack an entry between others: a damaged table, or a backup that was put back in part. */

import { type Engine, entryName } from "./engine.ts";

/** Numbers behind the missing entry that are looked at. */
const LOOKED_AHEAD = 16;

/**
 * True where a log lacks the entry that follows a revision and has a later one: what looks like the end of the log is none.
 * An entry that is made meanwhile is no gap. A gap of more than 16 entries is not seen.
 */
export async function isTornAfter(engine: Pick<Engine, "read">, revision: number): Promise<boolean> {
  const next = revision + 1;
  // Together: one after the other they would take as many ways to the database.
  const later = await Promise.all(
    Array.from({ length: LOOKED_AHEAD }, (_, index) => engine.read(entryName(next + 1 + index))),
  );
  return later.some((item) => item !== undefined) && (await engine.read(entryName(next))) === undefined;
}
