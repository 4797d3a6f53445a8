/** The store in a local folder (`database.type: local`): LMDB, one process per folder. */

import { AuthorizerError } from "../../errors.ts";
import { Turns } from "../../schedule/turns.ts";
import { type CheckedCommit, checkCommit } from "../checks.ts";
import { CommitListeners } from "../commit-listeners.ts";
import type { StoreFormats } from "../format.ts";
import type { Commit, CommitListener, CommittedChange, Snapshot, Store } from "../port.ts";
import { RecentWrites } from "../recent-writes.ts";
import { expectationFailed, storeClosed } from "../refusals.ts";
import type { StoreLog } from "../store-log.ts";
import { flushDataFile } from "./data-file.ts";
import { type LocalDatabase, openDatabase, prepareFolder, putValue } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { LOCAL_FORMATS, migrateDatabase, openLogId } from "./formats.ts";
import { changeKey, decodeVersion, FORMAT_KEY, REVISION_KEY, recordKey, revisionOf } from "./layout.ts";
import { LocalSnapshot } from "./snapshot.ts";

/** Options of {@link openLocalStore}. */
export interface LocalStoreOptions {
  /** The store's own folder; created (mode 700) with its parents where missing. */
  readonly path: string;
  /**
   * True: an acknowledged commit is on the disk. False: it survives the end of the process, but a power loss may
   * take the last commits or damage the store.
   */
  readonly syncWrites: boolean;
  readonly log?: StoreLog;
  /** Name and version of the program, kept in the format record; default `svc-authorizer`. */
  readonly writer?: string;
}

/** Entries of the log of changes that are kept for those who follow it. */
const KEPT_CHANGES = 10_000;

/** Entries read at once. */
const CHANGES_PAGE = 1_000;

/**
 * Opens the store in a folder, creating it if there is none. `formats` is for tests of migrations. Throws
 * AuthorizerError "unavailable" when the folder is in use, is no store, is newer than this program or damaged.
 */
export async function openLocalStore(
  options: LocalStoreOptions,
  formats: StoreFormats<LocalDatabase> = LOCAL_FORMATS,
): Promise<Store> {
  const { path, syncWrites, log, writer = "svc-authorizer" } = options;
  prepareFolder(path);
  const lock = lockFolder(path);
  let database: LocalDatabase | undefined;
  try {
    database = await openDatabase(path, syncWrites);
    const revision = migrateDatabase(database, path, writer, formats, log);
    const finish = async (): Promise<void> => {
      try {
        if (!syncWrites) await flushDataFile(path);
      } finally {
        lock.release();
      }
    };
    return new LocalStore(database, { revision, logId: openLogId(database) }, finish, log);
  } catch (error) {
    await database?.close();
    lock.release();
    throw error;
  }
}

class LocalStore implements Store {
  readonly logId: string;
  readonly #database: LocalDatabase;
  readonly #finish: () => Promise<void>;
  readonly #log: StoreLog | undefined;
  readonly #snapshots = new Set<LocalSnapshot>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #recent: RecentWrites;
  readonly #listeners = new CommitListeners();
  /** Kept ahead of the stored one also when a transaction fails: no revision is given twice. */
  #revision: number;
  #lastWriteFailed = false;
  #closing: Promise<void> | undefined;

  /** `finish` runs once, after the database is closed. */
  constructor(
    database: LocalDatabase,
    { revision, logId }: { readonly revision: number; readonly logId: string },
    finish: () => Promise<void>,
    log: StoreLog | undefined,
  ) {
    this.logId = logId;
    this.#database = database;
    this.#revision = revision;
    this.#recent = new RecentWrites(revision);
    this.#finish = finish;
    this.#log = log;
  }

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    const snapshot = new LocalSnapshot(this.#database, {
      assertOpen: () => this.#assertOpen(),
      released: (it) => this.#snapshots.delete(it),
    });
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

  async #commit(commit: Commit): Promise<number> {
    const checked = await checkCommit(commit);
    const change = {
      at: new Date().toISOString(),
      ...(commit.change !== undefined && { change: commit.change }),
    };
    const applied = await this.#transact(() => this.#apply(checked, change));
    if (applied === undefined) throw expectationFailed();
    if (applied.wrote) this.#listeners.notify({ revision: applied.revision, ...change });
    return applied.revision;
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    this.#assertOpen();
    const transaction = this.#database.useReadTransaction();
    try {
      const range = { start: changeKey(0), end: changeKey(Number.MAX_SAFE_INTEGER), transaction };
      const [oldest] = this.#database.getKeys({ ...range, limit: 1 });
      const newest = Number(this.#database.get(REVISION_KEY, { transaction })?.version);
      if (after < (oldest === undefined ? newest : revisionOf(oldest) - 1)) return undefined;
      const start = changeKey(after + 1);
      const found: CommittedChange[] = [];
      for (const { value } of this.#database.getRange({
        ...range,
        start,
        limit: Math.min(limit, CHANGES_PAGE),
      })) {
        found.push({ revision: Number(value.version), ...(JSON.parse(value.value) as { at: string }) });
      }
      return found;
    } finally {
      transaction.done();
    }
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
    if (this.#lastWriteFailed) await this.#transact(() => this.#putRevision());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    for (const snapshot of this.#snapshots) snapshot.release();
    await this.#database.close();
    await this.#finish();
  }

  /**
   * Runs `action` in a write transaction, which the library shares among all that come while one is being flushed
   * (group commit); each action sees what those before it did. Resolves when the transaction is durable.
   */
  async #transact<T>(action: () => T | Promise<T>): Promise<T> {
    const transaction = this.#database.transaction(action) as Promise<T>;
    this.#underWay.add(transaction);
    try {
      const result = await transaction;
      this.#lastWriteFailed = false;
      return result;
    } catch (error) {
      this.#lastWriteFailed = true;
      this.#reportFailure(error);
      throw new AuthorizerError("unavailable", "The store cannot be written.", { cause: error });
    } finally {
      this.#underWay.delete(transaction);
    }
  }

  /**
   * Undefined, having written nothing, when a condition fails. A fault while putting marks the whole LMDB transaction
   * as failed, so that nothing of it is kept. A small commit is applied at once; a large one lets other work run
   * while its transaction stays open.
   */
  #apply(commit: CheckedCommit, change: Omit<CommittedChange, "revision">): Applied | Promise<Applied> {
    if (commit.reads !== undefined && this.#recent.touches(commit.reads)) return undefined;
    for (const { partition, key, version } of commit.expect) {
      if (this.#storedVersion(recordKey(partition, key)) !== version) return undefined;
    }
    const writes = commit.put.length + commit.delete.length;
    if (writes === 0) return { revision: this.#revision, wrote: false };
    this.#revision += 1;
    const revision = this.#revision;
    this.#recent.add(revision, commit.put, commit.delete);
    const finish = (): Applied => {
      this.#putRevision();
      putValue(this.#database, changeKey(revision), { version: revision, value: JSON.stringify(change) });
      this.#database.removeSync(changeKey(revision - KEPT_CHANGES));
      return { revision, wrote: true };
    };
    const steps = this.#writeAll(commit, revision);
    if (writes > SMALL_COMMIT) return inTurns(steps).then(finish);
    atOnce(steps);
    return finish();
  }

  *#writeAll(commit: CheckedCommit, version: number): Generator<void> {
    for (const { partition, key, value } of commit.put) {
      putValue(this.#database, recordKey(partition, key), { version, value });
      yield;
    }
    for (const { partition, key } of commit.delete) {
      this.#database.removeSync(recordKey(partition, key));
      yield;
    }
  }

  #storedVersion(key: Buffer): string | undefined {
    const bytes = this.#database.getBinaryFast(key);
    return bytes === undefined ? undefined : String(decodeVersion(bytes));
  }

  #putRevision(): void {
    putValue(this.#database, REVISION_KEY, { version: this.#revision, value: this.logId });
  }

  #reportFailure(error: unknown): void {
    this.#log?.error({ err: error }, "store write failed");
    // The library reports the reason in a second promise, whose rejection would end the process without a listener.
    const reason = (error as { commitError?: Promise<unknown> } | null)?.commitError;
    reason?.catch((err: unknown) => this.#log?.error({ err }, "reason of the failed store write"));
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }
}

type Applied = { readonly revision: number; readonly wrote: boolean } | undefined;

/** Writes of a commit that is applied without letting other work run. */
const SMALL_COMMIT = 1_000;

function atOnce(steps: Generator<void>): void {
  while (steps.next().done !== true);
}

async function inTurns(steps: Generator<void>): Promise<void> {
  const turns = new Turns();
  while (steps.next().done !== true) if (turns.spent) await turns.yield();
}
