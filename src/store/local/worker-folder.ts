/** A folder of LMDB that another process writes, as a worker follows it (spec/journal §7). */

import { basename } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { Listeners } from "../listeners.ts";
import type { CommitListener, CommittedChange, LogHead } from "../port.ts";
import { storeClosed } from "../refusals.ts";
import { newestRevision } from "./committed-states.ts";
import { openForReading } from "./database.ts";
import { FORMAT_KEY } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { EMPTY_LOG, readPosition } from "./local-log.ts";
import type { ReadOptions } from "./read-record.ts";
import { LocalSnapshot, type SnapshotOwner } from "./snapshot.ts";

/** Options of a {@link WorkerFolder}. */
interface WorkerFolderOptions {
  /** Returns the folder of the database that counts now. */
  readonly locate: () => string;
  /** Reads the entries after a revision, at most `limit`; undefined where some are not known one by one. */
  readonly readEntries: (
    database: LocalDatabase,
    after: number,
    limit: number,
    options: ReadOptions,
  ) => readonly CommittedChange[] | undefined;
}

/** The revision of a database that another one has replaced. */
export const REPLACED = Number.MAX_SAFE_INTEGER;

/** Most entries whose changes are told one by one; after more, anything may have changed. */
const MOST_FOLLOWED = 1_000;
/** Attempts to open what is being replaced once more at this moment. */
const MOST_ATTEMPTS = 20;

/** Reads the newest state, and tells of what led to it. */
export class WorkerFolder {
  readonly #options: WorkerFolderOptions;
  readonly #listeners = new Listeners<CommittedChange>();
  readonly #snapshots = new Map<LocalSnapshot, LocalDatabase>();
  readonly #owner: SnapshotOwner;
  #database: LocalDatabase;
  /** See {@link Snapshot.base}. */
  #base: string | undefined;
  #head: LogHead;
  #closed = false;

  /** Opens the folder. Throws AuthorizerError "unavailable" when it cannot be read. */
  constructor(options: WorkerFolderOptions) {
    this.#options = options;
    const folder = this;
    this.#owner = {
      isWriting: false,
      get committed() {
        return folder.#head.revision;
      },
      get base() {
        return folder.#base;
      },
      assertOpen: () => this.assertOpen(),
      released: (snapshot) => this.#released(snapshot),
    };
    this.#database = this.#open();
    const { revision, id, at, log } = readPosition(this.#database) ?? EMPTY_LOG;
    this.#head = { revision, id, at, log };
  }

  get database(): LocalDatabase {
    return this.#database;
  }

  /** The newest entry of which listeners have heard. */
  get head(): LogHead {
    return this.#head;
  }

  get logId(): string {
    return this.#head.log.slice(0, 8);
  }

  /** As {@link Store.subscribe}. */
  subscribe(listener: CommitListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Tells listeners of what was committed since the last call. */
  follow(): void {
    this.assertOpen();
    const revision = this.#newest();
    if (revision === this.#head.revision) return;
    if (revision === REPLACED) this.#replace();
    this.#tellWhatCame(revision === REPLACED);
  }

  /** The newest state. */
  snapshot(): LocalSnapshot {
    this.assertOpen();
    if (this.#newest() === REPLACED) this.follow();
    const snapshot = new LocalSnapshot(this.#database, this.#owner);
    this.#snapshots.set(snapshot, this.#database);
    return snapshot;
  }

  /** Throws AuthorizerError "unavailable" when the folder cannot be read. */
  health(): void {
    this.assertOpen();
    if (this.#database.get(FORMAT_KEY) === undefined && this.#newest() === 0) {
      throw new AuthorizerError("unavailable", "The store cannot be read.");
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const databases = new Set([this.#database, ...this.#snapshots.values()]);
    for (const snapshot of this.#snapshots.keys()) snapshot.release();
    for (const database of databases) await database.close();
  }

  assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }

  #newest(): number {
    return newestRevision(this.#database, this.#head.revision);
  }

  #tellWhatCame(isAnother: boolean): void {
    const transaction = this.#database.useReadTransaction();
    try {
      const options = { transaction };
      const { revision, id, at, log } = readPosition(this.#database, options) ?? EMPTY_LOG;
      const isFarBehind = isAnother || revision - this.#head.revision > MOST_FOLLOWED;
      const entries = isFarBehind
        ? undefined
        : this.#options.readEntries(this.#database, this.#head.revision, MOST_FOLLOWED, options);
      const all = { revision, id, at, node: "", useCases: [], change: { all: true } };
      for (const entry of entries ?? [all]) {
        this.#head = { revision: entry.revision, id: entry.id, at: entry.at, log };
        this.#listeners.notify(entry);
      }
    } finally {
      transaction.done();
    }
  }

  /** Goes on with the database that has replaced this one. */
  #replace(): void {
    const before = this.#database;
    this.#database = this.#open();
    this.#closeUnused(before);
  }

  #open(): LocalDatabase {
    for (let attempt = 1; ; attempt++) {
      try {
        const folder = this.#options.locate();
        const database = openForReading(folder);
        if (newestRevision(database, 0) !== REPLACED) {
          this.#base = basename(folder);
          return database;
        }
        void database.close();
      } catch (error) {
        if (attempt === MOST_ATTEMPTS) throw error;
      }
      if (attempt === MOST_ATTEMPTS) {
        throw new AuthorizerError("unavailable", "The copy of the directory is being replaced.", {
          retryAfterSeconds: 1,
        });
      }
    }
  }

  #released(snapshot: LocalSnapshot): void {
    const database = this.#snapshots.get(snapshot);
    this.#snapshots.delete(snapshot);
    if (database !== undefined && database !== this.#database) this.#closeUnused(database);
  }

  #closeUnused(database: LocalDatabase): void {
    if (this.#closed || [...this.#snapshots.values()].includes(database)) return;
    void database.close();
  }
}
