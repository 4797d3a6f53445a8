/**
 * One process per store folder. The lock is an EXCLUSIVE transaction of SQLite on a file of its own: the operating
 * system takes it back at once when the process dies, however it dies, which lock files with ages do not offer.
 */

import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";

/** Name of the file that carries the lock. */
export const LOCK_FILE = "store.lock";

/** Name of the file with the holder of the lock, for people. Its existence does not mean that the lock is held. */
export const HOLDER_FILE = "store.pid";

/** Longest wait for a holder that is just ending, in milliseconds. */
const PATIENCE_MS = 500;

/**
 * Folders locked by this process, by real path. Needed because opening and closing the lock file a second time
 * within a process would drop the process's own lock (POSIX record locks).
 */
const heldHere = new Set<string>();

/** A held lock. */
export interface FolderLock {
  /** Gives the folder free; calling it twice is harmless. */
  release(): void;
}

/**
 * Takes the lock of an existing folder. Throws AuthorizerError "unavailable", naming the folder and the holder where
 * known, when another process or another part of this one holds it (after half a second at most).
 */
export function lockFolder(folder: string): FolderLock {
  const path = realpathSync(folder);
  if (heldHere.has(path)) throw inUse(folder, `this process (${process.pid})`);
  const holderFile = join(path, HOLDER_FILE);
  const connection = acquire(folder, path);
  try {
    writeFileSync(holderFile, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  } catch (error) {
    // On a full disk others learn that the folder is in use, and not by whom.
    if (!isFull(error)) {
      connection.close();
      throw unusable(holderFile, error);
    }
  }
  heldHere.add(path);
  let held = true;
  return {
    release: () => {
      if (!held) return;
      held = false;
      rmSync(holderFile, { force: true });
      connection.close();
      heldHere.delete(path);
    },
  };
}

function acquire(folder: string, path: string): DatabaseSync {
  const file = join(path, LOCK_FILE);
  let connection: DatabaseSync | undefined;
  try {
    createPrivately(file);
    const { DatabaseSync } = loadSqlite();
    connection = new DatabaseSync(file, { timeout: PATIENCE_MS });
    // Nothing is ever written; the file of a journal could not be created on a full disk.
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return connection;
  } catch (error) {
    connection?.close();
    throw isBusy(error) ? inUse(folder, readHolder(join(path, HOLDER_FILE))) : unusable(file, error);
  }
}

function unusable(file: string, cause: unknown): AuthorizerError {
  const reason = messageOf(cause);
  return new AuthorizerError("unavailable", `The lock file ${file} cannot be used: ${reason}`, { cause });
}

/** Never opens an existing file: see `heldHere`. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

function isFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOSPC" || code === "EDQUOT";
}

function readHolder(file: string): string {
  try {
    const [pid, host] = readFileSync(file, "utf8").trim().split(" ");
    return pid && host ? `process ${pid} on ${host}` : "another process";
  } catch {
    return "another process";
  }
}

function inUse(folder: string, holder: string): AuthorizerError {
  return new AuthorizerError(
    "unavailable",
    `The store folder ${folder} is in use by ${holder}; one process at a time can open it.`,
  );
}

/** Loads node:sqlite without the warning that it is experimental; every other warning passes. */
function loadSqlite(): typeof import("node:sqlite") {
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
