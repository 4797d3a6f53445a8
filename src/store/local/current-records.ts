/** Records of the local store as the write transaction that is open has them. */

import type { StoredRecord } from "../port.ts";
import { decodeRecord, type ReadRecord } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { intact } from "./read-record.ts";
import { StagedRecords } from "./staged-records.ts";

/** Reads records within the write transaction that is open. */
export class CurrentRecords {
  readonly #database: LocalDatabase;
  readonly #staged: StagedRecords;

  constructor(database: LocalDatabase) {
    this.#database = database;
    this.#staged = new StagedRecords(database, {});
  }

  /** The value under a key, which a stage may have written. */
  raw(key: Buffer): ReadRecord | undefined {
    const bytes = this.#database.getBinaryFast(key);
    return bytes === undefined ? undefined : intact(decodeRecord(bytes), key);
  }

  /** The record that counts in place of what {@link raw} returned. */
  resolve(raw: ReadRecord | undefined, key: Buffer): StoredRecord | undefined {
    return this.#staged.resolve(raw, () => key);
  }
}
