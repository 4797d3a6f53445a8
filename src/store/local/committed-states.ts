/**
 * Keeps a database from going back behind what it has committed, which LMDB does where another process opens the file at
 * the moment of a commit (see `lmdb-format/noted-transaction.ts`).
 */

import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Transaction } from "lmdb";
import { DATA_FILE, READERS_FILE } from "./data-file.ts";
import { decodeVersion, REVISION_KEY, VERSION_BYTES } from "./layout.ts";
import { NotedTransaction } from "./lmdb-format/noted-transaction.ts";
import type { LocalDatabase } from "./local-database.ts";
import { type ReadOptions, readAt } from "./read-record.ts";

/** Attempts, each after a repair: an opening process is behind for less than a millisecond. */
const MOST_ATTEMPTS = 1_000;

/** Stands for the result of an action that was not run. */
const BEHIND = Symbol("behind");

const noted = new WeakMap<LocalDatabase, NotedTransaction>();

/**
 * Follows the transactions of a database that this process has opened, until it is closed; false where the folder cannot be
 * written.
 */
export function keepCommitted(folder: string, database: LocalDatabase): boolean {
  const transaction = NotedTransaction.of(join(folder, DATA_FILE), join(folder, READERS_FILE));
  if (transaction === undefined) return false;
  noted.set(database, transaction);
  const close = database.close.bind(database);
  database.close = async () => {
    await close();
    transaction.close();
  };
  return true;
}

/** Notes the newest state where this process, or another, has noted an older one; false where none has. */
export function repairNewest(database: LocalDatabase): boolean {
  return noted.get(database)?.repair() ?? false;
}

/** Lets write transactions begin from the newest state only; for the one process that writes. */
export function writeAfterCommitted(database: LocalDatabase): void {
  const state = noted.get(database) as NotedTransaction;
  let highest = state.newest();
  let checked: { readonly open: object; readonly isBehind: boolean } | undefined;
  // A number that no transaction had follows all that were committed; one that was there may be that of an empty one.
  const isNumberBehind = (number: number): boolean => {
    if (number <= highest) return state.newest() >= number;
    highest = number;
    return false;
  };
  // Of all actions that share a transaction the first checks it.
  const isBehind = (): boolean => {
    const open = openWriteOf(database);
    if (open !== undefined && open === checked?.open) return checked.isBehind;
    const isIt = isNumberBehind(writeNumberOf(database));
    checked = open && { open, isBehind: isIt };
    return isIt;
  };
  // Of an action that is not run nothing is written: the transaction is empty, and leaves the newest state as it is.
  const guarded =
    <T>(action: () => T) =>
    (): T | typeof BEHIND =>
      isBehind() ? BEHIND : action();
  const inTransaction = database.transaction.bind(database);
  const inTransactionSync = database.transactionSync.bind(database);
  database.transaction = async <T>(action: () => T): Promise<T> => {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const result = await inTransaction(guarded(action));
      if (result !== BEHIND) return result;
      state.repair();
    }
    throw isBehindStill();
  };
  database.transactionSync = <T>(action: () => T): T => {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const result = inTransactionSync(guarded(action));
      if (result !== BEHIND) return result;
      state.repair();
    }
    throw isBehindStill();
  };
}

/** Of a process that does not write. */
const NO_WRITER = { writer: { isWriting: false } };

/** A state that is read. */
interface ReadState {
  readonly transaction: Transaction;
  readonly revision: number;
}

/**
 * Opens the newest state to read it.
 * @param known a revision that was committed: an older state is none to answer from
 * @throws AuthorizerError "unavailable", DamagedRecord
 */
export function readFrom(
  database: LocalDatabase,
  known: number,
  { writer }: Pick<ReadOptions, "writer"> = {},
): ReadState {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const transaction = database.useReadTransaction();
    try {
      const revision = revisionOf(database, { transaction, ...(writer && { writer }) });
      if (revision >= known) return { transaction, revision };
    } catch (error) {
      transaction.done();
      throw error;
    }
    transaction.done();
    repairNewest(database);
    // The library goes on with the state of its last read within a turn of the event loop.
    database.resetReadTxn();
  }
  throw isBehindStill();
}

function revisionOf(database: LocalDatabase, options: ReadOptions): number {
  // Each snapshot asks: where it can be read as bytes, its record is not made.
  if (options.writer?.isWriting === false) {
    const bytes = bytesOf(database, REVISION_KEY, options);
    if (bytes === undefined || bytes.length >= VERSION_BYTES) return bytes ? decodeVersion(bytes) : 0;
  }
  return Number(readAt(database, REVISION_KEY, options)?.version ?? 0);
}

/**
 * The revision of the newest state, for a process that does not write.
 * @param known a revision that it has seen
 * @throws AuthorizerError "unavailable", DamagedRecord
 */
export function newestRevision(database: LocalDatabase, known: number): number {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    // The library goes on with the state of its last read within a turn of the event loop.
    database.resetReadTxn();
    const { transaction, revision } = readFrom(database, known, NO_WRITER);
    transaction.done();
    // What was read may have been the older state.
    if (!repairNewest(database)) return revision;
  }
  throw isBehindStill();
}

/** Members of the library that it does not declare. */
interface Undeclared {
  getBinaryFast(key: Buffer, options: ReadOptions): Buffer | undefined;
  getWriteTxnId(): number;
  /** Has one object for each time that a write transaction runs actions. */
  readonly env?: { readonly writeTxn?: object | null };
}

function bytesOf(database: LocalDatabase, key: Buffer, options: ReadOptions): Buffer | undefined {
  return (database as unknown as Undeclared).getBinaryFast(key, options);
}

function openWriteOf(database: LocalDatabase): object | undefined {
  return (database as unknown as Undeclared).env?.writeTxn ?? undefined;
}

/** The number of the open write transaction. */
function writeNumberOf(database: LocalDatabase): number {
  return (database as unknown as Undeclared).getWriteTxnId();
}

function isBehindStill(): AuthorizerError {
  return new AuthorizerError("unavailable", "The store has an older state than it committed.");
}
