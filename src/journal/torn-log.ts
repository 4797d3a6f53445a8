/** Logs that lack an entry between others: a damaged table, or a backup that was put back in part. */

import { type Engine, entryName } from "./engine.ts";

/**
 * True where a log lacks the entry that follows a revision and has a later one: what looks like the end of the log is none.
 * An entry that is made meanwhile is no gap.
 */
export async function isTornAfter(
  engine: Pick<Engine, "read" | "firstAfter">,
  revision: number,
): Promise<boolean> {
  const next = revision + 1;
  const first = await engine.firstAfter(revision);
  return first !== undefined && first > next && (await engine.read(entryName(next))) === undefined;
}
