/** The state at an earlier revision (spec/journal §4.2): the checkpoint before it, and the entries that follow. */

import { decodeHead, type EntryHead } from "../store/log-entry.ts";
import { type MemoryStore, openMemoryStore } from "../store/memory/memory-store.ts";
import type { RecordName, StoredRecord } from "../store/port.ts";
import {
  CheckpointGone,
  type CheckpointMarker,
  checkpointAtMost,
  readRecordOf,
  readRecords,
} from "./checkpoints.ts";
import type { Engine } from "./engine.ts";
import { readBody, readWriteOf } from "./entry-parts.ts";

const PAGE = 100;

/**
 * A record as it was at a revision; undefined where there was none.
 * @throws CheckpointGone where what led to the revision is removed meanwhile, or is not of one log
 */
export async function pastRecord(
  engine: Engine,
  revision: number,
  name: RecordName,
): Promise<StoredRecord | undefined> {
  const marker = await checkpointAtMost(engine, revision);
  let found = marker && (await readRecordOf(engine, marker, name));
  for await (const { head, item } of entriesAfter(engine, marker, revision)) {
    const write = await readWriteOf(engine, head, item, name);
    if (write?.value !== undefined) found = { value: write.value, version: String(head.revision) };
    else if (write !== undefined) found = undefined;
  }
  return found;
}

/**
 * The whole state at a revision, which the caller closes.
 * @throws CheckpointGone as {@link pastRecord}
 */
export async function pastState(engine: Engine, revision: number): Promise<MemoryStore> {
  const state = openMemoryStore({ isReplica: true });
  try {
    const marker = await checkpointAtMost(engine, revision);
    if (marker !== undefined) {
      const { last, log } = marker;
      const name = { revision: marker.revision, node: "", log, ...last };
      await state.replaceState(name, readRecords(engine, marker));
    }
    for await (const { head, item } of entriesAfter(engine, marker, revision)) {
      const body = await readBody(engine, head, item);
      if (body === undefined) throw new CheckpointGone(`a part of entry ${head.revision} is gone`);
      await state.applyEntry(head, body);
    }
    return state;
  } catch (error) {
    await state.close();
    throw error;
  }
}

/** The entries after a checkpoint, undefined for the beginning, up to a revision: each follows the one before. */
async function* entriesAfter(
  engine: Engine,
  marker: CheckpointMarker | undefined,
  upTo: number,
): AsyncGenerator<{ readonly head: EntryHead; readonly item: Buffer }> {
  let at = marker?.revision ?? 0;
  let id = marker?.last.id ?? "";
  while (at < upTo) {
    const { entries, floor } = await engine.entries(at, Math.min(PAGE, upTo - at));
    if (floor > at || entries.length === 0) throw new CheckpointGone(`entry ${at + 1} is gone`);
    for (const { item } of entries) {
      const head = decodeHead(item);
      if (head.prev !== id) throw new CheckpointGone(`entry ${head.revision} does not follow the one before`);
      yield { head, item };
      at = head.revision;
      id = head.id;
    }
  }
}
