/** The newest checkpoint of a log as a node's copy (spec/journal §3). */

import type { EntryId, Replica } from "../store/replica.ts";
import {
  CheckpointGone,
  type CheckpointMarker,
  newestCheckpoint,
  readRecentIds,
  readRecords,
} from "./checkpoints.ts";
import { type Engine, NothingDone } from "./engine.ts";
import { type CopyPlace, mayFollow } from "./place-in-log.ts";
import { type NodeEnd, untilEnded } from "./until-ended.ts";

/** A checkpoint that a copy was loaded from. */
interface LoadedCheckpoint {
  readonly marker: CheckpointMarker;
  /** Ids of the newest entries up to its revision. */
  readonly recent: readonly EntryId[];
}

/**
 * Replaces the state of a copy by the newest checkpoint above its revision; undefined where there is none.
 * @param copy revision 0 where it is empty
 * @param assertKnown throws for a format that this program does not know
 * @throws NothingDone for a checkpoint that is damaged, or does not follow the copy; NodeEnds
 */
export async function loadCheckpoint(
  parts: NodeEnd & { readonly engine: Engine; readonly replica: Replica },
  copy: CopyPlace,
  assertKnown: (format: number) => void,
): Promise<LoadedCheckpoint | undefined> {
  const { engine, replica } = parts;
  for (let gone = ""; ; ) {
    const marker = await newestCheckpoint(engine, copy.revision);
    if (marker === undefined) return undefined;
    if (marker.id === gone) throw new NothingDone(`checkpoint ${marker.revision} of the log is damaged`);
    assertKnown(marker.format ?? 1);
    try {
      const recent = await readRecentIds(engine, marker);
      // The database may have been put back since the copy's place in its log was looked for.
      if (copy.revision > 0 && (marker.log !== copy.log || !mayFollow(recent, copy)))
        throw new NothingDone(`checkpoint ${marker.revision} of the log does not follow this node's copy`);
      const { revision, last, log } = marker;
      const records = untilEnded(readRecords(engine, marker), parts);
      await replica.replaceState({ revision, node: "", log, ...last }, records, recent);
      return { marker, recent };
    } catch (error) {
      // It was removed while it was read: there is a newer one.
      if (!(error instanceof CheckpointGone)) throw error;
      gone = marker.id;
    }
  }
}
