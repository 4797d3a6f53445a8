/** The log of the local store as far back as it is kept (spec/journal §4). */

import { PastSnapshot } from "../past-snapshot.ts";
import type {
  CommittedChange,
  EntryWrites,
  History,
  KeyWrite,
  LogHead,
  RecordName,
  Snapshot,
  StoredRecord,
  Thing,
  VersionedRecord,
} from "../port.ts";
import { revisionNotKept } from "../refusals.ts";
import { readFrom } from "./committed-states.ts";
import type { LocalDatabase } from "./local-database.ts";
import {
  EMPTY_LOG,
  putPosition,
  readAbout,
  readEntries,
  readId,
  readPosition,
  readWrites,
  removeEntry,
} from "./local-log.ts";
import { readReplacedOf, readWriteOf } from "./local-log-keys.ts";
import type { ReadOptions } from "./read-record.ts";
import { replacedSince } from "./replaced-since.ts";
import type { LocalSnapshot } from "./snapshot.ts";

/** The parts of its store that a history needs. */
interface LocalHistoryParts {
  /** Folder of the database. */
  readonly path: string;
  readonly database: LocalDatabase;
  readonly head: () => LogHead;
  readonly snapshot: () => LocalSnapshot;
  /** Runs an action in a write transaction. */
  readonly transact: <T>(action: () => T) => Promise<T>;
  /** Throws when the store is closed. */
  readonly assertOpen: () => void;
}

/** Entries read at once. */
const ENTRIES_PAGE = 1_000;

/** Entries removed in one transaction. */
const FORGOTTEN_AT_ONCE = 100;

/** Reads entries and earlier states. */
export class LocalHistory implements History {
  readonly #parts: LocalHistoryParts;

  constructor(parts: LocalHistoryParts) {
    this.#parts = parts;
  }

  get head(): LogHead {
    return this.#parts.head();
  }

  keptFrom(): Promise<number> {
    return this.#reading((database, options) => readPosition(database, options)?.floor ?? 0);
  }

  /** As {@link Store.changes}. */
  entries(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    return this.#reading((database, options) =>
      readEntries(database, after, Math.min(limit, ENTRIES_PAGE), options),
    );
  }

  idOf(revision: number): Promise<string | undefined> {
    return this.#reading((database, options) => readId(database, revision, options));
  }

  writes(revision: number, id?: string): Promise<EntryWrites | undefined> {
    return this.#reading((database, options) => readWrites(database, { revision, id }, options));
  }

  writeOf(revision: number, name: RecordName): Promise<KeyWrite | undefined> {
    return this.#reading((database, options) => readWriteOf(database, revision, name, options));
  }

  async recordAt(revision: number, name: RecordName): Promise<StoredRecord | undefined> {
    const later = this.#snapshotFrom(revision);
    try {
      const latest = await later.get(name.partition, name.key);
      if (latest !== undefined && Number(latest.version) <= revision) return latest;
      // What the first entry since replaced is what was there.
      const replaced = await this.#reading((database, options) =>
        readReplacedOf(database, { after: revision, upTo: later.position.revision }, name, options),
      );
      return replaced === undefined ? latest : replaced.before;
    } finally {
      later.release();
    }
  }

  async *records(revision: number): AsyncGenerator<readonly VersionedRecord[]> {
    const snapshot = await this.#past(this.#snapshotFrom(revision), revision);
    try {
      yield* snapshot.records(await this.#reading(partitionsOf));
    } finally {
      snapshot.release();
    }
  }

  async snapshotAt(revision: number): Promise<Snapshot> {
    const later = this.#snapshotFrom(revision);
    return later.revision === revision ? later : this.#past(later, revision);
  }

  async #past(later: LocalSnapshot, revision: number): Promise<PastSnapshot> {
    const replaced = await replacedSince(later.replacedAfter(revision), this.#parts.path);
    return new PastSnapshot(later, revision, replaced);
  }

  about(thing: Thing, before: number, limit: number): Promise<readonly CommittedChange[]> {
    return this.#reading((database, options) => readAbout(database, thing, before, limit, options));
  }

  /** Removes entries some at a time, so that no transaction holds up others. */
  async forgetPast(): Promise<void> {
    const { database, transact } = this.#parts;
    const end = this.head.revision;
    for (let isDone = false; !isDone; ) {
      isDone = await transact(() => {
        const position = readPosition(database) ?? EMPTY_LOG;
        let { floor } = position;
        for (let count = 0; count < FORGOTTEN_AT_ONCE && floor < end; count++) {
          floor = removeEntry(database, floor + 1);
        }
        putPosition(database, { ...position, floor });
        return floor >= end;
      });
    }
  }

  /** The newest state, from which the one at a revision can be read. */
  #snapshotFrom(revision: number): LocalSnapshot {
    const later = this.#parts.snapshot();
    const { floor, revision: newest } = later.position;
    if (revision <= newest && revision >= floor) return later;
    later.release();
    throw revisionNotKept(revision, floor, newest);
  }

  /** Reads from one state. */
  async #reading<T>(read: (database: LocalDatabase, options: ReadOptions) => T | Promise<T>): Promise<T> {
    const { database, assertOpen } = this.#parts;
    assertOpen();
    const { transaction } = readFrom(database, this.head.revision);
    try {
      return await read(database, { transaction });
    } finally {
      transaction.done();
    }
  }
}

/** Partitions that have records. */
function partitionsOf(database: LocalDatabase, options: ReadOptions): readonly string[] {
  const found: string[] = [];
  // Keys of the store itself begin with 0x00.
  for (let start = Buffer.from([1]); ; ) {
    const [key] = database.getKeys({ start, limit: 1, ...options });
    if (key === undefined) return found;
    const partition = Buffer.from(key).toString("utf8", 0, Buffer.from(key).indexOf(0));
    found.push(partition);
    start = Buffer.from(`${partition}\u0001`);
  }
}
