/** Writes what an entry says into the local store, with what it replaces; only within a write transaction. */

import { Turns } from "../../schedule/turns.ts";
import type { EntryWrites, StoredRecord } from "../port.ts";
import { type LocalDatabase, putValue } from "./database.ts";
import { decodeRecord, recordKey } from "./layout.ts";
import { putParts, UndoWriter } from "./local-log.ts";
import { intact } from "./read-record.ts";

/** The writes of an entry. */
interface AppliedWrites {
  readonly writes: Pick<EntryWrites, "put" | "delete">;
  /** Revision of the entry. */
  readonly version: number;
  /** The encoded body of the entry. */
  readonly body: Buffer;
}

/** Writes step by step; returns the number of parts that the body is stored in. */
export function* applyWrites(
  database: LocalDatabase,
  { writes, version, body }: AppliedWrites,
): Generator<void, number> {
  const undo = new UndoWriter(database, version);
  for (const { partition, key, value } of writes.put) {
    const name = recordKey(partition, key);
    undo.add({ partition, key, before: storedRecord(database, name) });
    putValue(database, name, { version, value });
    yield;
  }
  for (const { partition, key } of writes.delete) {
    const name = recordKey(partition, key);
    undo.add({ partition, key, before: storedRecord(database, name) });
    database.removeSync(name);
    yield;
  }
  undo.end();
  return yield* putParts(database, version, body);
}

/** Returns the record under a key within the write transaction that is open. */
export function storedRecord(database: LocalDatabase, key: Buffer): StoredRecord | undefined {
  const bytes = database.getBinaryFast(key);
  return bytes === undefined ? undefined : intact(decodeRecord(bytes), key);
}

/** Runs all steps at once. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs all steps, and lets other work run in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  const turns = new Turns();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.spent) await turns.yield();
  }
}
