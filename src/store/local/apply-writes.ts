/** Writes what an entry says into the local store, with what it replaces; only within a write transaction. */

import { Turns } from "../../schedule/turns.ts";
import type { EntryWrites, RecordName } from "../port.ts";
import { CurrentRecords } from "./current-records.ts";
import { putValue } from "./database.ts";
import { recordKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { putParts, UndoWriter } from "./local-log.ts";

/** The writes of an entry. */
interface AppliedWrites {
  readonly writes: Pick<EntryWrites, "put" | "delete">;
  /** Revision of the entry. */
  readonly version: number;
  /** The encoded body of the entry. */
  readonly body: Buffer;
  /** Called with the number of each stage of which a value is overwritten. */
  readonly onStaged?: (stage: number) => void;
}

/** Writes step by step; returns the number of parts that the body is stored in. */
export function* applyWrites(
  database: LocalDatabase,
  { writes, version, body, onStaged }: AppliedWrites,
): Generator<void, number> {
  const current = new CurrentRecords(database);
  const undo = new UndoWriter(database, version);
  const keepBefore = ({ partition, key }: RecordName, name: Buffer): void => {
    const raw = current.raw(name);
    if (raw?.stage !== undefined) onStaged?.(raw.stage);
    undo.add({ partition, key, before: current.resolve(raw, name) });
  };
  for (const { partition, key, value } of writes.put) {
    const name = recordKey(partition, key);
    keepBefore({ partition, key }, name);
    putValue(database, name, { version, value });
    yield;
  }
  for (const { partition, key } of writes.delete) {
    const name = recordKey(partition, key);
    keepBefore({ partition, key }, name);
    database.removeSync(name);
    yield;
  }
  undo.end();
  return yield* putParts(database, version, body);
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
