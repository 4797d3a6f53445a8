/** The store in a local folder (`database.type: local`): LMDB, one process per folder. */

import { AuthorizerError } from "../../errors.ts";
import { checkCommit } from "../checks.ts";
import type { StoreFormats } from "../format.ts";
import type { Commit, Snapshot, Store } from "../port.ts";
import { expectationFailed, storeClosed } from "../refusals.ts";
import type { StoreLog } from "../store-log.ts";
import { flushDataFile } from "./data-file.ts";
import { type LocalDatabase, openDatabase, prepareFolder, putValue } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { bringToFormat, LOCAL_FORMATS } from "./formats.ts";
import { decodeVersion, FORMAT_KEY, LAST_VERSION_KEY, recordKey } from "./layout.ts";
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

/** A commit in bytes. */
interface EncodedCommit {
  readonly expect: readonly { readonly key: Buffer; readonly version: string | undefined }[];
  readonly put: readonly { readonly key: Buffer; readonly value: string }[];
  readonly delete: readonly Buffer[];
}

/**
 * Opens the store in a folder, creating it where there is none. `formats` is for tests of migrations. Throws
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
    const lastVersion = bringToFormat(database, path, writer, formats, log);
    const finish = async (): Promise<void> => {
      try {
        if (!syncWrites) await flushDataFile(path);
      } finally {
        lock.release();
      }
    };
    return new LocalStore(database, lastVersion, finish, log);
  } catch (error) {
    await database?.close();
    lock.release();
    throw error;
  }
}

class LocalStore implements Store {
  readonly #database: LocalDatabase;
  readonly #finish: () => Promise<void>;
  readonly #log: StoreLog | undefined;
  readonly #snapshots = new Set<LocalSnapshot>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Kept ahead of the stored one also when a transaction fails: no version is given twice. */
  #lastVersion: number;
  #lastWriteFailed = false;
  #closing: Promise<void> | undefined;

  /** `finish` runs once, after the database is closed. */
  constructor(
    database: LocalDatabase,
    lastVersion: number,
    finish: () => Promise<void>,
    log: StoreLog | undefined,
  ) {
    this.#database = database;
    this.#lastVersion = lastVersion;
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

  async commit(commit: Commit): Promise<void> {
    this.#assertOpen();
    const encoded = encode(commit);
    const applied = await this.#transact(() => this.#apply(encoded));
    if (!applied) throw expectationFailed();
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
    // Writing costs a flush, so it is tried only where the last write has failed (disk full, read-only).
    if (this.#lastWriteFailed) await this.#transact(() => this.#putLastVersion());
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
  async #transact<T>(action: () => T): Promise<T> {
    const transaction = this.#database.transaction(action);
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
   * False, having written nothing, when an expectation fails. A fault while putting marks the whole LMDB transaction
   * as failed, so that nothing of it is kept.
   */
  #apply(commit: EncodedCommit): boolean {
    for (const { key, version } of commit.expect) {
      if (this.#storedVersion(key) !== version) return false;
    }
    if (commit.put.length === 0 && commit.delete.length === 0) return true;
    this.#lastVersion += 1;
    for (const { key, value } of commit.put) {
      putValue(this.#database, key, { version: this.#lastVersion, value });
    }
    for (const key of commit.delete) this.#database.removeSync(key);
    this.#putLastVersion();
    return true;
  }

  #storedVersion(key: Buffer): string | undefined {
    const bytes = this.#database.getBinaryFast(key);
    return bytes === undefined ? undefined : String(decodeVersion(bytes));
  }

  #putLastVersion(): void {
    putValue(this.#database, LAST_VERSION_KEY, { version: this.#lastVersion, value: "" });
  }

  #reportFailure(error: unknown): void {
    this.#log?.error({ err: error }, "store write failed");
    // The library tells the reason in a second promise, which would end the process if nobody listened.
    const reason = (error as { commitError?: Promise<unknown> } | null)?.commitError;
    reason?.catch((err: unknown) => this.#log?.error({ err }, "reason of the failed store write"));
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }
}

function encode(commit: Commit): EncodedCommit {
  const checked = checkCommit(commit);
  return {
    expect: checked.expect.map(({ partition, key, version }) => ({
      key: recordKey(partition, key),
      version,
    })),
    put: checked.put.map(({ partition, key, value }) => ({ key: recordKey(partition, key), value })),
    delete: checked.delete.map(({ partition, key }) => recordKey(partition, key)),
  };
}
