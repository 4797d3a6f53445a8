/** The newest checkpoint of a log as a node's copy (journal.md §3). */

import type { EntryId, Replica } from "../store/replica.ts";
import {
  CheckpointGone,
  type CheckpointMarker,
  newestCheckpoint,
  readRecentIds,
  readRecords,
} from "./checkpoints.ts";
import { type Engine, NothingDone } from "./engine.ts";

/** A checkpoint that a copy was loaded from. */
interface LoadedCheckpoint {
  readonly marker: CheckpointMarker;
  /** Ids of the newest entries up to its revision. */
  readonly recent: readonly EntryId[];
}

/**
 * Replaces the state of a copy by the newest checkpoint above a revision; undefined where there is none.
 * @param assertKnown throws for a format that this program does not know
 * @throws NothingDone for a checkpoint that is damaged
 */
export async function loadCheckpoint(
  { engine, replica }: { readonly engine: Engine; readonly replica: Replica },
  above: number,
  assertKnown: (format: number) => void,
): Promise<LoadedCheckpoint | undefined> {
  for (let gone = ""; ; ) {
    const marker = await newestCheckpoint(engine, above);
    if (marker === undefined) return undefined;
    if (marker.id === gone) throw new NothingDone(`checkpoint ${marker.revision} of the log is damaged`);
    assertKnown(marker.format ?? 1);
    try {
      const recent = await readRecentIds(engine, marker);
      const { revision, last, log } = marker;
      await replica.replaceState({ revision, node: "", log, ...last }, readRecords(engine, marker), recent);
      return { marker, recent };
    } catch (error) {
      // It was removed while it was read: there is a newer one.
      if (!(error instanceof CheckpointGone)) throw error;
      gone = marker.id;
    }
  }
}
