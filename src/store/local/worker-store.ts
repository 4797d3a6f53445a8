/**
 * The store in a local folder as a worker has it (journal.md §7): it reads the folder, and the primary process, which
 * holds the lock of the folder, writes.
 */

import { AuthorizerError } from "../../errors.ts";
import { Listeners } from "../listeners.ts";
import type { Commit, CommitListener, CommittedChange, LogHead, Snapshot, Store } from "../port.ts";
import { storeClosed } from "../refusals.ts";
import { type LocalDatabase, openForReading } from "./database.ts";
import { decodeVersion, FORMAT_KEY, REVISION_KEY } from "./layout.ts";
import { LocalHistory } from "./local-history.ts";
import { EMPTY_LOG, readEntries, readPosition } from "./local-log.ts";
import { LocalSnapshot, type SnapshotOwner } from "./snapshot.ts";

/** Options of {@link openWorkerStore}. */
export interface WorkerStoreOptions {
  readonly path: string;
  /** Hands a commit to the primary; as {@link Store.commit}. */
  readonly commit: (commit: Commit) => Promise<number>;
}

/** Most entries whose changes are told one by one; after more, anything may have changed. */
const MOST_FOLLOWED = 1_000;

/** Opens a folder that the primary has opened. Throws AuthorizerError "unavailable" when it cannot be read. */
export function openWorkerStore(options: WorkerStoreOptions): Store {
  return new WorkerStore(openForReading(options.path), options.commit);
}

class WorkerStore implements Store {
  readonly history: LocalHistory;
  readonly #database: LocalDatabase;
  readonly #send: (commit: Commit) => Promise<number>;
  readonly #listeners = new Listeners<CommittedChange>();
  readonly #snapshots = new Set<LocalSnapshot>();
  readonly #owner: SnapshotOwner;
  #head: LogHead;
  #closed = false;

  constructor(database: LocalDatabase, send: (commit: Commit) => Promise<number>) {
    this.#database = database;
    this.#send = send;
    this.#owner = {
      isWriting: false,
      assertOpen: () => this.#assertOpen(),
      released: (snapshot) => this.#snapshots.delete(snapshot),
    };
    this.history = new LocalHistory({
      database,
      head: () => this.#head,
      snapshot: () => this.#snapshot(),
      transact: () => {
        throw new AuthorizerError("internal", "a worker does not write to the folder");
      },
      assertOpen: () => this.#assertOpen(),
    });
    const { revision, at, log } = readPosition(database) ?? EMPTY_LOG;
    this.#head = { revision, at, log };
  }

  get logId(): string {
    return this.#head.log.slice(0, 8);
  }

  async snapshot(): Promise<Snapshot> {
    return this.#snapshot();
  }

  async commit(commit: Commit): Promise<number> {
    this.#assertOpen();
    const revision = await this.#send(commit);
    this.follow();
    return revision;
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    return this.history.entries(after, limit);
  }

  subscribe(listener: CommitListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  follow(): void {
    this.#assertOpen();
    // The library goes on reading the state of its last read within a turn of the event loop.
    this.#database.resetReadTxn();
    const stored = this.#database.getBinaryFast(REVISION_KEY);
    if (stored === undefined || decodeVersion(stored) === this.#head.revision) return;
    this.#tellWhatCame();
  }

  async catchUp(): Promise<void> {
    this.follow();
  }

  async health(): Promise<void> {
    this.#assertOpen();
    if (this.#database.get(FORMAT_KEY) === undefined) {
      throw new AuthorizerError("unavailable", "The store cannot be read.");
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const snapshot of this.#snapshots) snapshot.release();
    await this.#database.close();
  }

  #tellWhatCame(): void {
    const transaction = this.#database.useReadTransaction();
    try {
      const options = { transaction };
      const position = readPosition(this.#database, options) ?? EMPTY_LOG;
      const { revision, id, at, log } = position;
      const isFarBehind = revision - this.#head.revision > MOST_FOLLOWED;
      const entries = isFarBehind
        ? undefined
        : readEntries(this.#database, this.#head.revision, MOST_FOLLOWED, options);
      const all = { revision, id, at, node: "", useCases: [], change: { all: true } };
      for (const entry of entries ?? [all]) {
        this.#head = { revision: entry.revision, at: entry.at, log };
        this.#listeners.notify(entry);
      }
    } finally {
      transaction.done();
    }
  }

  #snapshot(): LocalSnapshot {
    this.#assertOpen();
    this.#database.resetReadTxn();
    const snapshot = new LocalSnapshot(this.#database, this.#owner);
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}
