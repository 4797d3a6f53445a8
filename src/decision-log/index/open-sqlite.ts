/** Loads `node:sqlite` without the warning that it is experimental; every other warning passes. */

import type { DatabaseSync } from "node:sqlite";

/** Opens a database. Throws the error of SQLite. */
export function openSqlite(path: string): DatabaseSync {
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
