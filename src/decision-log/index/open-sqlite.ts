/** Loads `node:sqlite` without the warning that it is experimental; every other warning passes. */

import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

const OWNER_ONLY = 0o600;
/** Files that SQLite keeps beside a database, with the rights of the database. */
const BESIDE = ["", "-wal", "-shm"];

/**
 * Opens a database. Its files are for their owner only: they hold the names of users and resources. Throws the error of
 * SQLite, and leaves nothing open then.
 * @param path a file, or `:memory:`
 * @param prepare is run on the database before anybody has it
 */
export function openSqlite(
  path: string,
  prepare: (database: DatabaseSync) => void = () => undefined,
): DatabaseSync {
  const database = opened(path);
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function opened(path: string): DatabaseSync {
  if (path !== ":memory:") keepToOwner(path);
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
    return new Database(path, { timeout: 5_000 });
  } finally {
    process.emitWarning = emitWarning;
  }
}

function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, "a", OWNER_ONLY));
    // A database of an earlier version was for everybody to read.
    for (const file of BESIDE.map((end) => path + end)) if (existsSync(file)) chmodSync(file, OWNER_ONLY);
  } catch {
    // SQLite says what is wrong with the file.
  }
}
