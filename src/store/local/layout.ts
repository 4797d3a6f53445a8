/**
 * Bytes of the local store. A record's key is partition, 0x00, key in UTF-8, so that LMDB's order is the port's order;
 * keys that begin with 0x00 are the store's own. A value is its version in 8 bytes, big-endian, and UTF-8 text. Format 2
 * adds the log of changes and has no batches left in it (see migrate-batches.ts).
 * Changing any of this is a new store format.
 */

import type { CheckedScan } from "../checks.ts";
import { MAX_KEY_BYTES, type StoredRecord } from "../port.ts";

const VERSION_BYTES = 8;
const TWO_TO_32 = 2 ** 32;

/** A value to be written. */
export interface VersionedValue {
  /** Whole number, below 2^53. */
  readonly version: number;
  readonly value: string;
}

/** Bounds of a range of keys: from `start` (without it where `exclusiveStart`) up to and without `end`. */
export interface KeyRange {
  readonly start: Buffer;
  readonly exclusiveStart: boolean;
  readonly end: Buffer;
}

/** Key of the format record (see format.ts). */
export const FORMAT_KEY = ownKey("format");

/** Key of the record whose version is the revision of the newest commit, and whose value is the id of the log. */
export const REVISION_KEY = ownKey("version");

const CHANGE_PREFIX = ownKey("change/");

/** Key of the entry in the log of changes that a commit left. */
export function changeKey(revision: number): Buffer {
  const key = Buffer.alloc(CHANGE_PREFIX.length + VERSION_BYTES);
  CHANGE_PREFIX.copy(key);
  key.writeUInt32BE(Math.floor(Math.max(revision, 0) / TWO_TO_32), CHANGE_PREFIX.length);
  key.writeUInt32BE(Math.max(revision, 0) % TWO_TO_32, CHANGE_PREFIX.length + 4);
  return key;
}

/** The revision in the bytes of a key made by {@link changeKey}. */
export function revisionOf(key: Uint8Array): number {
  return decodeVersion(Buffer.from(key.buffer, key.byteOffset, key.length).subarray(CHANGE_PREFIX.length));
}

/** Key of a record. */
export function recordKey(partition: string, key: string): Buffer {
  return Buffer.from(`${partition}\0${key}`);
}

/** The text key in the bytes of a record's key. */
export function textKey(partition: string, bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8", partition.length + 1);
}

/** The range of a scan. */
export function scanRange(partition: string, { prefix, after }: CheckedScan): KeyRange {
  const first = recordKey(partition, prefix);
  const end = Buffer.from(first);
  // No byte of UTF-8 and no NUL is 0xff: the last byte can always be raised by one.
  end[end.length - 1]! += 1;
  if (after !== undefined) {
    // No key is longer than the cut: none lies between the cut and the whole text.
    const previous = recordKey(partition, after).subarray(0, partition.length + 1 + MAX_KEY_BYTES);
    if (Buffer.compare(previous, first) >= 0) return { start: previous, exclusiveStart: true, end };
  }
  return { start: first, exclusiveStart: false, end };
}

/** Bytes of a value. */
export function encodeValue({ version, value }: VersionedValue): Buffer {
  const bytes = Buffer.allocUnsafe(VERSION_BYTES + Buffer.byteLength(value));
  bytes.writeUInt32BE(Math.floor(version / TWO_TO_32), 0);
  bytes.writeUInt32BE(version % TWO_TO_32, 4);
  bytes.write(value, VERSION_BYTES);
  return bytes;
}

/** The record in the bytes of a value. Copies: the bytes may be reused afterwards. */
export function decodeRecord(bytes: Uint8Array): StoredRecord {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return { value: view.toString("utf8", VERSION_BYTES), version: String(decodeVersion(view)) };
}

/** The version in the bytes of a value. */
export function decodeVersion(bytes: Buffer): number {
  return bytes.readUInt32BE(0) * TWO_TO_32 + bytes.readUInt32BE(4);
}

function ownKey(name: string): Buffer {
  return Buffer.from(`\0${name}`);
}
