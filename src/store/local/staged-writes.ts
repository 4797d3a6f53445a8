/** Writes of a stage in the local store: values that do not count yet, with what they replace. */

import type { RecordName, RecordPut } from "../port.ts";
import { CurrentRecords } from "./current-records.ts";
import { putValue } from "./database.ts";
import { beforeKey, recordKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { UndoWriter } from "./local-log.ts";
import { recordAt } from "./read-record.ts";
import type { StagedBody } from "./staged-body.ts";

/** The places of what a stage writes. */
interface StagedParts {
  readonly database: LocalDatabase;
  /** Number of the stage. */
  readonly number: number;
  readonly body: StagedBody;
}

/** The writes of one piece. */
interface PieceWrites {
  readonly put: readonly RecordPut[];
  readonly delete: readonly RecordName[];
}

/** Writes pieces of a stage. If a write transaction in which it did so fails, the stage is worth nothing any more. */
export class StagedWriter {
  readonly #parts: StagedParts;
  readonly #undo: UndoWriter;

  constructor(parts: StagedParts) {
    this.#parts = parts;
    this.#undo = new UndoWriter(parts.database, parts.number, "staged-undo");
  }

  /** Stages writes step by step; only within a write transaction. */
  *write({ put, delete: deleted }: PieceWrites): Generator<void, void> {
    const current = new CurrentRecords(this.#parts.database);
    for (const { partition, key, value } of put) {
      this.#stage(current, { partition, key }, value);
      yield;
    }
    for (const name of deleted) {
      this.#stage(current, name, undefined);
      yield;
    }
    // Values and what they replace become durable together.
    this.#undo.end();
  }

  #stage(current: CurrentRecords, name: RecordName, value: string | undefined): void {
    const { database, number, body } = this.#parts;
    const key = recordKey(name.partition, name.key);
    const raw = current.raw(key);
    if (raw?.stage === number) {
      body.repeats(name);
      // Whoever removes what was removed finds it by this.
      if (value === undefined && recordAt(database, beforeKey(number, key), {}) === undefined) {
        putValue(database, beforeKey(number, key), { version: 0, value: "" });
      }
    } else {
      const before = current.resolve(raw, key);
      if (value === undefined && before === undefined) return;
      this.#undo.add({ ...name, before });
      if (before !== undefined) {
        putValue(database, beforeKey(number, key), {
          version: Number(before.version),
          value: before.value,
        });
      }
    }
    putValue(
      database,
      key,
      value === undefined
        ? { version: number, value: "", staged: "gone" }
        : { version: number, value, staged: "put" },
    );
    body.add(name, value);
  }
}
