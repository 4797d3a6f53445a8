/** Reading of single records from the local store's database. */

import type { Transaction } from "lmdb";
import { DamagedRecord, type StoredRecord } from "../port.ts";
import { decodeVersion, type ReadRecord } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";

/** The state to read from: that of a read transaction or, without one, of the write transaction that is open. */
export interface ReadOptions {
  readonly transaction?: Transaction;
  /** Says whether a write transaction may be open; absent: one may. */
  readonly writer?: { readonly isWriting: boolean };
}

/** The record under a key that no stage writes: of the store itself. @throws DamagedRecord */
export function recordAt(
  database: LocalDatabase,
  key: Buffer,
  options: ReadOptions,
): StoredRecord | undefined {
  return readAt(database, key, options);
}

/**
 * The record under a key as it is stored. With a read transaction it is read as a range where a write transaction may be open
 * in this process: the library's own `get`, which costs less, prefers that one, and that of a large commit is
 * open while other work runs.
 * @throws DamagedRecord
 */
export function readAt(
  database: LocalDatabase,
  key: Buffer,
  { transaction, writer }: ReadOptions,
): ReadRecord | undefined {
  if (transaction === undefined) return intact(database.get(key), key);
  if (writer?.isWriting === false) return intact(database.get(key, { transaction }), key);
  const end = Buffer.concat([key, Buffer.alloc(1)]);
  for (const { value } of database.getRange({ start: key, end, limit: 1, transaction }))
    return intact(value, key);
  return undefined;
}

/** The record that was read under a key. @throws DamagedRecord */
export function intact<R extends ReadRecord | undefined>(record: R, key: Uint8Array): R {
  if (record?.damaged === true) throw damaged(Buffer.from(key.buffer, key.byteOffset, key.length));
  return record;
}

function damaged(key: Buffer): DamagedRecord {
  const own = /^\0(entry|part|undo|staged-part|staged-undo|stage|before)\//.exec(key.toString("latin1"));
  if (own !== null)
    return new DamagedRecord("log", `${own[1]} ${decodeVersion(key.subarray(own[0].length))}`);
  const text = key.toString();
  const end = text.indexOf("\0");
  return new DamagedRecord(text.slice(0, end), text.slice(end + 1));
}
