/** One database with a copy of a log: records, the position, and the ids of the newest entries (spec/journal §1). */

import { rmSync } from "node:fs";
import { basename } from "node:path";
import type { Transaction } from "lmdb";
import { Turns } from "../../schedule/turns.ts";
import { committedChange } from "../committed-change.ts";
import type { CommittedChange, EntryWrites, VersionedRecord } from "../port.ts";
import type { EntryId, EntryName, StateName } from "../replica.ts";
import { readFrom } from "./committed-states.ts";
import { flushDataFile } from "./data-file.ts";
import { openDatabase, openForReading, prepareFolder, putValue } from "./database.ts";
import { logKey, recordKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { EMPTY_LOG, type LogPosition, putPosition, readPosition } from "./local-log.ts";
import { entryNote, idOfNote, readNotes } from "./replica-entries.ts";
import { REPLACED } from "./worker-folder.ts";

/** Ids that a copy keeps, as checkpoints carry them (spec/journal §2.6). */
const CARRIED_IDS = 10_000;
/** Writes during which no other work runs: less than a millisecond. */
const AT_ONCE = 200;
const STATE_PAGE = 500;

/** An open copy. */
export interface ReplicaCopy {
  readonly folder: string;
  /** See {@link Snapshot.base}. */
  readonly base: string;
  readonly database: LocalDatabase;
  /** The position of the newest entry that it has. */
  readonly position: LogPosition;
  /** Ids of the newest entries, in order. */
  recentIds(): readonly EntryId[];
  /** Entries after a revision that were applied, at most `limit`; undefined where some of them are no longer noted. */
  changes(after: number, limit: number): readonly CommittedChange[] | undefined;
  /** Applies what an entry writes, in one transaction. */
  apply(entry: EntryName, writes: EntryWrites): Promise<void>;
  /** As {@link apply}, for a copy that nobody reads before it is whole: in many transactions, the entry last. */
  applyInPieces(entry: EntryName, pieces: AsyncIterable<EntryWrites>): Promise<void>;
  /** Fills an empty copy with a state. The position comes last: without it, a copy is none. */
  fill(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent: readonly EntryId[],
  ): Promise<void>;
  /** Tells the processes that read it that another copy has replaced it. */
  leave(): void;
  /** Frees what processes that ended held of it. */
  clearReaders(): void;
  /**
   * The records of the newest state in order; `done` is called at the end.
   * @param transaction reads the state that it holds
   */
  pages(done: () => void, transaction?: Transaction): AsyncGenerator<readonly VersionedRecord[]>;
  /** Closes it with everything on the disk. */
  close(): Promise<void>;
  /** Closes it and removes its folder. */
  discard(): Promise<void>;
}

/** Opens the copy in a folder; an empty one where there is none. Rejects for one that is damaged. */
export async function openCopy(folder: string): Promise<ReplicaCopy> {
  prepareFolder(folder);
  return new LmdbCopy(folder, await openDatabase(folder, { syncWrites: false }));
}

/** Opens a copy that another process may write to, to read it. Throws AuthorizerError "unavailable" where it cannot be read. */
export function openCopyToRead(
  folder: string,
): Pick<ReplicaCopy, "position" | "recentIds" | "pages" | "database" | "base"> {
  return new LmdbCopy(folder, openForReading(folder));
}

/**
 * The position of a copy, also of one that another has replaced.
 * @param transaction reads that of the state that it holds
 */
export function readCopyPosition(database: LocalDatabase, transaction?: Transaction): LogPosition {
  const position = readPosition(database, transaction === undefined ? {} : { transaction }) ?? EMPTY_LOG;
  return position.revision === REPLACED ? (position.was ?? EMPTY_LOG) : position;
}

class LmdbCopy implements ReplicaCopy {
  readonly folder: string;
  readonly base: string;
  readonly database: LocalDatabase;
  #position: LogPosition;

  constructor(folder: string, database: LocalDatabase) {
    this.folder = folder;
    this.base = basename(folder);
    this.database = database;
    this.#position = readCopyPosition(database);
  }

  get position(): LogPosition {
    return this.#position;
  }

  recentIds(): readonly EntryId[] {
    const range = { start: logKey("entry", 0), end: logKey("entry", Number.MAX_SAFE_INTEGER) };
    const found: EntryId[] = [];
    for (const { value } of this.database.getRange(range))
      found.push([Number(value.version), idOfNote(value.value)]);
    return found;
  }

  changes(after: number, limit: number): readonly CommittedChange[] | undefined {
    const { transaction } = readFrom(this.database, this.#position.revision);
    try {
      return readNotes(this.database, after, limit, { transaction });
    } finally {
      transaction.done();
    }
  }

  async apply(entry: EntryName, writes: EntryWrites): Promise<void> {
    const position = this.#positionAt(entry);
    const steps = this.#writeAll(writes, entry.revision);
    const finish = (): void => this.#finish(entry, writes, position);
    if (writes.put.length + writes.delete.length > AT_ONCE) {
      await this.database.transaction(() => inTurns(steps).then(finish));
    } else {
      // Without a flush, a small transaction costs less than the way to the library's thread.
      this.database.transactionSync(() => {
        for (const _ of steps);
        finish();
      });
    }
    this.#position = position;
  }

  async applyInPieces(entry: EntryName, pieces: AsyncIterable<EntryWrites>): Promise<void> {
    const turns = new Turns();
    let touched: Pick<EntryWrites, "change" | "useCases"> | undefined;
    for await (const piece of pieces) {
      touched ??= piece;
      this.database.transactionSync(() => {
        for (const _ of this.#writeAll(piece, entry.revision));
      });
      if (turns.spent) await turns.yield();
    }
    const position = this.#positionAt(entry);
    this.database.transactionSync(() => this.#finish(entry, touched ?? {}, position));
    this.#position = position;
  }

  async fill(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent: readonly EntryId[],
  ): Promise<void> {
    const turns = new Turns();
    for await (const page of records) {
      for (let start = 0; start < page.length; start += AT_ONCE) {
        this.database.transactionSync(() => {
          for (const { partition, key, value, version } of page.slice(start, start + AT_ONCE)) {
            putValue(this.database, recordKey(partition, key), { version, value });
          }
        });
        if (turns.spent) await turns.yield();
      }
    }
    const { revision, id, at, log } = last;
    const position = { revision, id, at, log, floor: 0 };
    this.database.transactionSync(() => {
      for (const [of, name] of recent.slice(-CARRIED_IDS)) this.#putEntry(of, name);
      if (revision > 0) putPosition(this.database, position);
    });
    this.#position = position;
  }

  leave(): void {
    const was = this.#position;
    this.database.transactionSync(() =>
      putPosition(this.database, { ...EMPTY_LOG, revision: REPLACED, was }),
    );
  }

  clearReaders(): void {
    this.database.readerCheck();
  }

  pages(done: () => void, transaction?: Transaction): AsyncGenerator<readonly VersionedRecord[]> {
    if (transaction !== undefined) return this.#pages(transaction, done);
    // Begun here, not when the first page is asked for: the state is that of this moment.
    const { transaction: own } = readFrom(this.database, this.#position.revision);
    return this.#pages(own, () => {
      own.done();
      done();
    });
  }

  async *#pages(transaction: Transaction, done: () => void): AsyncGenerator<readonly VersionedRecord[]> {
    const turns = new Turns();
    try {
      let start: Buffer = FIRST_RECORD;
      for (;;) {
        const page: VersionedRecord[] = [];
        let last: Buffer | undefined;
        for (const { key, value } of this.database.getRange({ start, limit: STATE_PAGE, transaction })) {
          last = Buffer.from(key);
          const end = last.indexOf(0);
          page.push({
            partition: last.toString("utf8", 0, end),
            key: last.toString("utf8", end + 1),
            value: value.value,
            version: Number(value.version),
          });
        }
        if (page.length > 0) yield page;
        if (page.length < STATE_PAGE) return;
        start = Buffer.concat([last!, Buffer.alloc(1)]);
        if (turns.spent) await turns.yield();
      }
    } finally {
      done();
    }
  }

  async close(): Promise<void> {
    await this.database.close();
    await flushDataFile(this.folder);
  }

  async discard(): Promise<void> {
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  *#writeAll({ put, delete: deleted }: EntryWrites, version: number): Generator<void> {
    for (const { partition, key, value } of put) {
      putValue(this.database, recordKey(partition, key), { version, value });
      yield;
    }
    for (const { partition, key } of deleted) {
      this.database.removeSync(recordKey(partition, key));
      yield;
    }
  }

  #positionAt({ revision, id, at }: EntryName): LogPosition {
    return { revision, id, at, log: this.#position.log || id, floor: 0 };
  }

  #finish(entry: EntryName, touched: Pick<EntryWrites, "change" | "useCases">, position: LogPosition): void {
    this.#putEntry(entry.revision, entryNote(committedChange(entry, touched)));
    putPosition(this.database, position);
  }

  #putEntry(revision: number, note: string): void {
    putValue(this.database, logKey("entry", revision), { version: revision, value: note });
    this.database.removeSync(logKey("entry", revision - CARRIED_IDS));
  }
}

/** Keys of the store itself begin with 0x00; those of records do not. */
const FIRST_RECORD = Buffer.from([1]);
async function inTurns(steps: Generator<void>): Promise<void> {
  const turns = new Turns();
  while (steps.next().done !== true) if (turns.spent) await turns.yield();
}
