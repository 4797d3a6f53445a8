/** The store in a local folder (`database.type: local`): LMDB, one process per folder. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { type CheckedCommit, checkCommit } from "../checks.ts";
import { committedChange } from "../committed-change.ts";
import type { Expectation } from "../expectation.ts";
import { Listeners } from "../listeners.ts";
import { encodeBody, newId } from "../log-entry.ts";
import type {
  Commit,
  CommitListener,
  CommittedChange,
  EntryWrites,
  LogHead,
  ReadSet,
  Snapshot,
  Stage,
  StageSubject,
  Store,
} from "../port.ts";
import { RecentWrites } from "../recent-writes.ts";
import { expectationFailed, storeClosed } from "../refusals.ts";
import type { EntryName } from "../replica.ts";
import type { StoreLog } from "../store-log.ts";
import { writesOfCommit } from "../use-cases.ts";
import { applyWrites, atOnce, inTurns } from "./apply-writes.ts";
import { noteClosed } from "./closed-note.ts";
import { CurrentRecords } from "./current-records.ts";
import { flushDataFile } from "./data-file.ts";
import { assertWholeState, openDatabase, openForReading, prepareFolder } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { currentPosition, LOCAL_FORMATS, migrateDatabase } from "./formats.ts";
import { FORMAT_KEY, recordKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { LocalHistory } from "./local-history.ts";
import {
  appendEntry,
  EMPTY_LOG,
  type LogPosition,
  type NewEntry,
  nextName,
  putPosition,
  readPosition,
  trimEntries,
} from "./local-log.ts";
import type { EndedStage } from "./local-stage.ts";
import { LocalStages } from "./local-stages.ts";
import { putInForce } from "./put-in-force.ts";
import { LocalSnapshot, type SnapshotOwner } from "./snapshot.ts";
import { WriteTransactions } from "./write-transactions.ts";

/** Options of {@link openLocalStore}. */
interface LocalStoreOptions {
  /** The store's own folder; created (mode 700) with its parents where missing. */
  readonly path: string;
  /**
   * True: an acknowledged commit is on the disk. False: it survives the end of the process, but a power loss may
   * take the last commits or damage the store.
   */
  readonly syncWrites: boolean;
  /** False: the pages of the file are not read before LMDB opens it (`authorizer.check_pages`). Default: true. */
  readonly checksPages?: boolean;
  readonly log?: StoreLog;
  /** Name and version of the program, kept in the format record; default `svc-authorizer`. */
  readonly writer?: string;
  /** Time for which entries of the log are kept (`authorizer.history.keep`), in milliseconds; default 30 days. */
  readonly keepMs?: number;
}

/** Default of `keepMs`. */
const KEEP_MS = 30 * 24 * 3_600_000;

/**
 * Opens the store in a folder, creating it if there is none. Throws AuthorizerError "unavailable" when the folder is in
 * use, is no store, is newer than this program or damaged.
 */
export async function openLocalStore(options: LocalStoreOptions): Promise<Store> {
  const { path, syncWrites, checksPages = true, log, writer = "svc-authorizer", keepMs = KEEP_MS } = options;
  prepareFolder(path);
  const lock = lockFolder(path);
  let database: LocalDatabase | undefined;
  try {
    database = await openDatabase(path, { syncWrites, checksPages });
    const position = migrateDatabase(database, path, writer, LOCAL_FORMATS, log);
    const finish = async (): Promise<void> => {
      try {
        if (!syncWrites) await flushDataFile(path);
        // What was opened unseen stays unseen.
        if (checksPages) await noteClosed(path);
      } finally {
        lock.release();
      }
    };
    return new LocalStore({ path, database, position, finish, log, keepMs, isWritable: true });
  } catch (error) {
    await database?.close();
    lock.release();
    throw error;
  }
}

/**
 * Opens the store in a folder that cannot be written, such as a backup on a read-only mount. Nothing in the folder is
 * created or changed, and every commit is refused. Nobody else may write to the folder meanwhile.
 * @throws AuthorizerError "unavailable" where there is no store, or one that another version has to migrate first
 */
export async function openLocalStoreReadOnly(path: string): Promise<Store> {
  return openToRead(await openDatabase(path, { syncWrites: true, readOnly: true }), path);
}

/**
 * Opens the store in a folder that another process of this machine has open, to read its state and its log of now.
 * @throws AuthorizerError "unavailable" where it cannot be read
 */
export async function openLocalStoreInUse(path: string): Promise<Store> {
  const database = openForReading(path);
  return openToRead(database, path, () =>
    assertWholeState(path, () => {
      database.resetReadTxn();
      return database.useReadTransaction();
    }),
  );
}

async function openToRead(database: LocalDatabase, path: string, check = () => {}): Promise<Store> {
  try {
    check();
    const position = currentPosition(database, path, LOCAL_FORMATS);
    return new LocalStore({
      path,
      database,
      position,
      finish: async () => {},
      log: undefined,
      keepMs: KEEP_MS,
      isWritable: false,
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface LocalStoreParts {
  readonly path: string;
  readonly database: LocalDatabase;
  readonly position: LogPosition;
  /** Runs once, after the database is closed. */
  readonly finish: () => Promise<void>;
  readonly log: StoreLog | undefined;
  readonly keepMs: number;
  /** False: the store is only read. */
  readonly isWritable: boolean;
}

class LocalStore implements Store {
  readonly history: LocalHistory;
  readonly #parts: LocalStoreParts;
  readonly #database: LocalDatabase;
  readonly #snapshots = new Set<LocalSnapshot>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #transactions: WriteTransactions;
  readonly #recent: RecentWrites;
  readonly #listeners = new Listeners<CommittedChange>();
  readonly #node = newId();
  readonly #owner: SnapshotOwner;
  readonly #stages: LocalStages;
  #head: LogHead;
  #closing: Promise<void> | undefined;

  constructor(parts: LocalStoreParts) {
    const { revision, id, at, log } = parts.position;
    this.#parts = parts;
    this.#database = parts.database;
    this.#head = { revision, id, at, log };
    this.#recent = new RecentWrites(revision);
    this.#transactions = new WriteTransactions(this.#database, parts.log);
    this.history = new LocalHistory({
      path: parts.path,
      database: this.#database,
      head: () => this.#head,
      snapshot: () => this.#snapshot(),
      transact: (action) => this.#transactions.run(action),
      assertOpen: () => this.#assertOpen(),
    });
    this.#owner = this.#ownerOf();
    this.#stages = this.#stagesOf();
  }

  get logId(): string {
    return this.#head.log.slice(0, 8);
  }

  async snapshot(): Promise<Snapshot> {
    return this.#snapshot();
  }

  /** @param stage number of a stage whose records are shown, too */
  #snapshot(stage?: number): LocalSnapshot {
    this.#assertOpen();
    const snapshot = new LocalSnapshot(this.#database, this.#owner, stage);
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  async commit(commit: Commit): Promise<number> {
    this.#assertOpen();
    const done = this.#commit(commit);
    this.#underWay.add(done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(done);
    }
  }

  async stage(subject: StageSubject): Promise<Stage> {
    this.#assertOpen();
    return this.#stages.begin(subject);
  }

  async #commit(commit: Commit): Promise<number> {
    const checked = await checkCommit(commit);
    const writes = writesOfCommit(checked);
    const isEmpty = checked.put.length + checked.delete.length === 0;
    const body = isEmpty ? undefined : await encodeBody(writes);
    const entry = body && { body, useCases: writes.useCases ?? [], node: this.#node, now: Date.now() };
    return this.#committed(await this.#applied(checked, entry), writes);
  }

  /** Puts a stage in force: a few items of the log, whatever its size. */
  async #finish(stage: EndedStage, { expect = [], reads }: StageConditions): Promise<number> {
    const { useCases, subject } = stage;
    const applied = await this.#transactions.run((): Applied => {
      if (stage.isLost() || !this.#holds(expect, reads)) return undefined;
      const done = putInForce(this.#database, stage, { node: this.#node, keepMs: this.#parts.keepMs });
      if (stage.written !== undefined) this.#recent.add(done.name.revision, stage.written, []);
      else this.#recent.restart(done.name.revision);
      return done;
    });
    const { change } = subject;
    return this.#committed(applied, { put: [], delete: [], useCases, ...(change && { change }) });
  }

  #committed(applied: Applied, writes: EntryWrites): number {
    if (applied === undefined) throw expectationFailed();
    const { name, position } = applied;
    if (name === undefined) return position.revision;
    const { revision, id, at, log } = position;
    this.#head = { revision, id, at, log };
    this.#listeners.notify(committedChange(name, writes));
    return position.revision;
  }

  async #applied(commit: CheckedCommit, entry: NewEntry | undefined): Promise<Applied> {
    const apply = () => this.#apply(commit, entry);
    return isLarge(commit) ? this.#transactions.runInTurns(apply) : this.#transactions.run(apply);
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    return this.history.entries(after, limit);
  }

  subscribe(listener: CommitListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  async health(): Promise<void> {
    this.#assertOpen();
    let format: unknown;
    try {
      format = this.#database.get(FORMAT_KEY);
    } catch (error) {
      throw new AuthorizerError("unavailable", "The store cannot be read.", { cause: error });
    }
    if (format === undefined) throw new AuthorizerError("unavailable", "The store cannot be read.");
    // A write costs a flush, so it is tried only if the last write failed (disk full, read-only).
    if (this.#transactions.lastFailed) {
      await this.#transactions.run(() =>
        putPosition(this.#database, readPosition(this.#database) ?? EMPTY_LOG),
      );
    }
  }

  clearReaders(): void {
    this.#assertOpen();
    this.#database.readerCheck();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#transactions.settled();
    await this.#stages.close();
    for (const snapshot of this.#snapshots) snapshot.release();
    await this.#database.close();
    await this.#parts.finish();
  }

  /**
   * Undefined, having written nothing, when a condition fails. A fault while putting marks the whole LMDB transaction
   * as failed, so that nothing of it is kept. A small commit is applied at once; a large one lets other work run
   * while its transaction stays open.
   */
  #apply(commit: CheckedCommit, entry: NewEntry | undefined): Applied | Promise<Applied> {
    if (!this.#holds(commit.expect, commit.reads)) return undefined;
    const before = readPosition(this.#database) ?? EMPTY_LOG;
    if (entry === undefined) return { position: before, name: undefined };
    const name = nextName(before, entry);
    this.#recent.add(name.revision, commit.put, commit.delete);
    this.#stages.heard(commit);
    const finish = (parts: number): Applied => {
      const after = appendEntry(this.#database, before, name, entry, parts);
      const position = trimEntries(this.#database, after, entry.now - this.#parts.keepMs);
      return { position, name };
    };
    const steps = applyWrites(this.#database, {
      writes: commit,
      version: name.revision,
      body: entry.body.bytes,
      onStaged: (stage) => this.#stages.overwritten(stage),
    });
    return isLarge(commit) ? inTurns(steps).then(finish) : finish(atOnce(steps));
  }

  /** True where the conditions of a commit hold; only within a write transaction. */
  #holds(expect: readonly Expectation[], reads: ReadSet | undefined): boolean {
    if (reads !== undefined && this.#recent.touches(reads)) return false;
    const current = new CurrentRecords(this.#database);
    return expect.every(({ partition, key, version }) => {
      const name = recordKey(partition, key);
      return current.resolve(current.raw(name), name)?.version === version;
    });
  }

  #stagesOf(): LocalStages {
    const parts = {
      database: this.#database,
      transact: <T>(action: () => T | Promise<T>) => {
        this.#assertOpen();
        return this.#transactions.runInTurns(action);
      },
      snapshot: (stage: number) => this.#snapshot(stage),
      isOutdated: (reads: ReadSet) => this.#recent.touches(reads),
      finish: (stage: EndedStage, conditions: StageConditions) => this.#finish(stage, conditions),
      isClosed: () => this.#closing !== undefined,
      onTrouble: (err: unknown) => this.#parts.log?.error({ err }, "what a stage left is not swept"),
    };
    return new LocalStages(parts, this.#parts.isWritable);
  }

  #ownerOf(): SnapshotOwner {
    const store = this;
    return {
      get committed() {
        return store.#head.revision;
      },
      get isWriting() {
        return store.#transactions.isOpenForOthers;
      },
      assertOpen: () => this.#assertOpen(),
      released: (it) => this.#snapshots.delete(it),
    };
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }
}

type StageConditions = Pick<Commit, "expect" | "reads">;

/** `name` is that of the entry, if there is one. */
type Applied = { readonly position: LogPosition; readonly name: EntryName | undefined } | undefined;

/** Writes of a commit that is applied without letting other work run. */
const SMALL_COMMIT = 1_000;

function isLarge(commit: CheckedCommit): boolean {
  return commit.put.length + commit.delete.length > SMALL_COMMIT;
}
