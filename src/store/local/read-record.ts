/** Reading of single records from the local store's database. */

import type { Transaction } from "lmdb";
import type { StoredRecord } from "../port.ts";
import type { LocalDatabase } from "./database.ts";

/** The state to read from: that of a read transaction or, without one, of the write transaction that is open. */
export interface ReadOptions {
  readonly transaction?: Transaction;
}

/**
 * The record under a key. With a read transaction it is read as a range: the library's own `get` prefers a write
 * transaction that is open in this process, and that of a large commit is open while other work runs.
 */
export function recordAt(
  database: LocalDatabase,
  key: Buffer,
  { transaction }: ReadOptions,
): StoredRecord | undefined {
  if (transaction === undefined) return database.get(key);
  const end = Buffer.concat([key, Buffer.alloc(1)]);
  for (const { value } of database.getRange({ start: key, end, limit: 1, transaction })) return value;
  return undefined;
}
