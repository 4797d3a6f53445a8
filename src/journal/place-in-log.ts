/** The check that a log still is the one that a copy came from (spec/journal §3). */

import { decodeHead } from "../store/log-entry.ts";
import type { EntryId } from "../store/replica.ts";
import { newestCheckpoint, readRecentIds } from "./checkpoints.ts";
import { LogMissing } from "./copy-condition.ts";
import { type Engine, entryName } from "./engine.ts";
import { isAccepted } from "./guard.ts";

/** The place where a copy stands. */
export interface CopyPlace {
  /** Revision of its newest entry. */
  readonly revision: number;
  /** Id of that entry. */
  readonly lastId: string;
  /** Id of the first entry of its log. */
  readonly log: string;
}

/**
 * The answer of a log about a copy. `same`: it has the copy's newest entry, of that format; `behind`: that may have been
 * removed, and there is a newer checkpoint; `lost`: the same log went back, and has another entry there or none; `other`: it
 * is another log, and a command said that it takes the place of the copy's.
 */
export type FoundPlace =
  | { readonly place: "same"; readonly format: number }
  | { readonly place: "behind" }
  | { readonly place: "lost" }
  | { readonly place: "other"; readonly log: string };

/**
 * Looks for the newest entry of a copy that is not empty.
 * @throws LogMissing where the database has no log, or another one
 */
export async function findPlace(engine: Engine, copy: CopyPlace): Promise<FoundPlace> {
  const { revision, lastId } = copy;
  // A read that is older than the copy would tell of a loss that did not happen.
  await engine.barrier?.();
  const item = await engine.read(entryName(revision));
  const floor = await engine.floor();
  if (floor < revision) {
    const head = item && decodeHead(item);
    return head?.id === lastId ? { place: "same", format: head.format } : lostOrMissing(engine, copy);
  }
  // It may be gone, or created anew where it was removed.
  const marker = await newestCheckpoint(engine, 0);
  if (marker === undefined || marker.log !== copy.log || marker.revision < revision)
    return lostOrMissing(engine, copy);
  if (marker.revision === revision) {
    if (marker.last.id === lastId) return { place: "same", format: marker.format ?? 1 };
    return { place: "lost" };
  }
  return { place: mayFollow(await readRecentIds(engine, marker), copy) ? "behind" : "lost" };
}

/**
 * True unless the ids that a later state carries say that a copy's newest entry is not in its past. Where they do not reach
 * back so far, nothing speaks against it.
 */
export function mayFollow(
  recent: readonly EntryId[],
  { revision, lastId }: Pick<CopyPlace, "revision" | "lastId">,
): boolean {
  const [oldest] = recent;
  const isKnown = oldest !== undefined && (oldest[0] <= revision || oldest[0] === 1);
  return !isKnown || recent.some(([, id]) => id === lastId);
}

async function lostOrMissing(engine: Engine, { log }: CopyPlace): Promise<FoundPlace> {
  try {
    await assertLog(engine, log);
    return { place: "lost" };
  } catch (error) {
    const other = error instanceof LogMissing ? error.otherLog : undefined;
    if (other !== undefined && (await isAccepted(engine, log, other))) return { place: "other", log: other };
    throw error;
  }
}

/** Throws LogMissing unless a database has the log with this first entry. */
export async function assertLog(engine: Engine, log: string): Promise<void> {
  const found = await findLog(engine);
  if (found === log) return;
  if (found === undefined) {
    throw new LogMissing(
      "no_log",
      "the database has no log any more (it was emptied, or another one is in its place): put back a backup, or copy the log back with `svc-authorizer journal copy --from-copy`",
    );
  }
  throw new LogMissing(
    "other_log",
    `the database has another log, ${found.slice(0, 8)}, and this node's copy is of ${log.slice(0, 8)}: name the right database, put back a backup, or let the nodes go over with \`svc-authorizer journal accept\``,
    found,
  );
}

/**
 * Id of the first entry of the log in a database; undefined where it is empty.
 * @throws LogMissing for a log whose beginning is gone and no checkpoint stands for it
 */
export async function findLog(engine: Engine): Promise<string | undefined> {
  const marker = await newestCheckpoint(engine, 0);
  if (marker !== undefined) return marker.log;
  const first = await engine.read(entryName(1));
  const floor = await engine.floor();
  if (first !== undefined && floor === 0) return decodeHead(first).id;
  if (floor === 0 && (await engine.list("entry", Number.MAX_SAFE_INTEGER, 1)).length === 0) return undefined;
  // The first checkpoint may have been made, and what is below it removed, since it was looked for.
  const made = floor === 0 ? undefined : await newestCheckpoint(engine, 0);
  if (made !== undefined) return made.log;
  throw new LogMissing(
    "broken_log",
    "the database lacks the beginning of the log and has no checkpoint of it: put back a backup",
  );
}
