/** A read transaction of LMDB as a snapshot. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { RangeOptions, Transaction } from "lmdb";
import { checkPartition, checkScan, isPossibleKey } from "../checks.ts";
import type { Replaced } from "../past-snapshot.ts";
import {
  DamagedRecord,
  type ScannedRecord,
  type ScanOptions,
  type Snapshot,
  type StoredRecord,
} from "../port.ts";
import { snapshotReleased } from "../refusals.ts";
import { readFrom } from "./committed-states.ts";
import { type ReadRecord, recordKey, scanRange, textKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { EMPTY_LOG, type LogPosition, readPosition, readReplaced } from "./local-log.ts";
import { intact, readAt } from "./read-record.ts";
import { StagedRecords } from "./staged-records.ts";

/** Port of a snapshot to its store. */
export interface SnapshotOwner {
  /** Throws when the store is closed. */
  assertOpen(): void;
  /** See {@link Snapshot.base}. */
  readonly base?: string | undefined;
  /** A revision that was committed: no older state is shown. */
  readonly committed: number;
  /** True while a write transaction may be open and other work runs. */
  readonly isWriting: boolean;
  /** Called once, at the release. */
  released(snapshot: LocalSnapshot): void;
}

/** A record of a range as it is stored. */
interface FoundRecord extends ReadRecord {
  readonly key: string;
}

/** One state of the local store. As long as it is open, LMDB keeps the pages of that state: release it soon. */
export class LocalSnapshot implements Snapshot {
  readonly base: string | undefined;
  readonly #database: LocalDatabase;
  readonly #owner: SnapshotOwner;
  #transaction: Transaction | undefined;
  readonly #revision: number;
  readonly #staged: StagedRecords;

  /** @param stage number of a stage whose records it shows */
  constructor(database: LocalDatabase, owner: SnapshotOwner, stage?: number) {
    this.#database = database;
    this.#owner = owner;
    this.base = owner.base;
    const { transaction, revision } = reading(() => readFrom(database, owner.committed, { writer: owner }));
    this.#transaction = transaction;
    this.#revision = revision;
    this.#staged = new StagedRecords(database, { transaction, writer: owner }, stage);
  }

  get revision(): number {
    this.#read();
    return this.#revision;
  }

  /** The position of the log in this state. */
  get position(): LogPosition {
    const transaction = this.#read();
    return reading(() => readPosition(this.#database, { transaction })) ?? EMPTY_LOG;
  }

  /** Returns the records that the entries after a revision replaced, from the newest of this state back. */
  replacedAfter(revision: number): Generator<readonly Replaced[]> {
    return readReplaced(this.#database, revision, { transaction: this.#read() });
  }

  async get(partition: string, key: string): Promise<StoredRecord | undefined> {
    checkPartition(partition);
    return this.#get(partition, key, this.#read());
  }

  async getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    checkPartition(partition);
    const transaction = this.#read();
    return keys.map((key) => this.#get(partition, key, transaction));
  }

  async scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]> {
    const transaction = this.#read();
    const scan = checkScan(partition, options);
    if (scan === undefined) return [];
    return reading(() => {
      const found: ScannedRecord[] = [];
      for (let range = scanRange(partition, scan); ; ) {
        const limit = scan.limit - found.length;
        const page = this.#page(partition, { ...range, limit, transaction });
        for (const read of page) {
          const counting = read.stage === undefined ? read : this.#resolved(partition, read);
          if (counting !== undefined) found.push(counting);
        }
        // What a stage hides makes room for more.
        if (page.length < limit || found.length === scan.limit) return found;
        range = { ...range, start: recordKey(partition, page.at(-1)!.key), exclusiveStart: true };
      }
    });
  }

  /** Records of a range as they are stored. Read before any other: the library overwrites the keys of a range. */
  #page(partition: string, range: RangeOptions): FoundRecord[] {
    const page: FoundRecord[] = [];
    for (const { key: bytes, value } of this.#database.getRange(range)) {
      const record = intact(value, bytes);
      const key = textKey(partition, bytes);
      page.push(
        record.stage === undefined
          ? { key, value: record.value, version: record.version }
          : { key, ...record },
      );
    }
    return page;
  }

  #resolved(partition: string, read: FoundRecord): ScannedRecord | undefined {
    const record = this.#staged.resolve(read, () => recordKey(partition, read.key));
    return record && { key: read.key, value: record.value, version: record.version };
  }

  release(): void {
    if (this.#transaction === undefined) return;
    this.#transaction.done();
    this.#transaction = undefined;
    this.#owner.released(this);
  }

  #get(partition: string, key: string, transaction: Transaction): StoredRecord | undefined {
    return isPossibleKey(key) ? this.#record(recordKey(partition, key), transaction) : undefined;
  }

  #record(key: Buffer, transaction: Transaction): StoredRecord | undefined {
    return reading(() => {
      const record = readAt(this.#database, key, { transaction, writer: this.#owner });
      return record?.stage === undefined ? record : this.#staged.resolve(record, () => key);
    });
  }

  #read(): Transaction {
    this.#owner.assertOpen();
    if (this.#transaction === undefined) throw snapshotReleased();
    return this.#transaction;
  }
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedRecord || error instanceof AuthorizerError) throw error;
    throw new AuthorizerError("unavailable", "The store cannot be read.", { cause: error });
  }
}
