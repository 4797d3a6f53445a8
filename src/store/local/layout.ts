/**
 * Bytes of the local store. A record's key is partition, 0x00, key in UTF-8, so that LMDB's order is the port's order;
 * keys that begin with 0x00 are the store's own. A value is its version in 8 bytes, big-endian, a checksum, and UTF-8
 * text. The checksum (CRC-32 of version and text, 4 bytes) is there if the highest bit is set: values that format 1 and 2
 * wrote have none until they are written again. Format 2 adds a log of changes and has no batches left in it (see migrate-batches.ts); format 3 has the whole log instead: each
 * entry (`entry/<revision>`, large ones with `part/<revision><number>`), what each replaced (`undo/…`), and what each is
 * about (`about/<thing>\0<revision>`), with revisions in 8 bytes. Format 4 adds values that are staged (stage.ts): the second
 * bit says that the number before the text is that of a stage, the third that the record is removed by it. `stage/<number>`
 * has the revision of a stage that is in force as its version, 0 before; `staged-part/…`, `staged-undo/…` are as above for
 * the entry of a stage; `before/<number><key of a record>` is what a record was that a stage replaces. Format 5 has the bytes
 * of format 4: it says that records may restrict by members that version 0.2 does not know (an inactive user, the end of an
 * access key). That version would ignore and drop them, so it must refuse the store.
 * Changing any of this is a new store format, and so is a record or member that restricts and that programs of the format
 * before do not know.
 */

import { crc32 } from "node:zlib";
import { rememberLast } from "../../remember-last.ts";
import type { CheckedScan } from "../checks.ts";
import { MAX_KEY_BYTES, type StoredRecord } from "../port.ts";

export const VERSION_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** In the first byte of a value: a checksum follows the version. */
const HAS_CHECKSUM = 0x80;
/** In the first byte: the number is that of a stage. */
const IS_STAGED = 0x40;
/** In the first byte: the stage removes the record. */
const IS_GONE = 0x20;
const FLAGS = HAS_CHECKSUM | IS_STAGED | IS_GONE;
const INDEX_BYTES = 4;
const TWO_TO_32 = 2 ** 32;

/** A value to be written. */
export interface VersionedValue {
  /** Whole number, below 2^53; of a staged value, the number of its stage. */
  readonly version: number;
  /** Text, or its bytes in UTF-8. */
  readonly value: string | Buffer;
  /** The value counts once its stage is in force; `gone`: then there is no record any more. */
  readonly staged?: "put" | "gone";
}

/** Bounds of a range of keys: from `start` (without it where `exclusiveStart`) up to and without `end`. */
interface KeyRange {
  readonly start: Buffer;
  readonly exclusiveStart: boolean;
  readonly end: Buffer;
}

/** Key of the format record (see format.ts). */
export const FORMAT_KEY = ownKey("format");

/** Key of the record whose version is the revision of the newest entry; its value says where the log stands. */
export const REVISION_KEY = ownKey("version");

/** Kinds of the store's own items that belong to entries of the log. */
export type LogItem = "entry" | "part" | "undo" | "staged-part" | "staged-undo";

/**
 * Key of an item of an entry; parts and undo records of one entry have numbers from 0 on.
 * @param revision of the entry; of what is staged, the number of the stage
 */
export function logKey(kind: LogItem, revision: number, index = 0): Buffer {
  const prefix = ownKey(`${kind}/`);
  const key = Buffer.alloc(prefix.length + VERSION_BYTES + INDEX_BYTES);
  prefix.copy(key);
  putNumber(key, Math.max(revision, 0), prefix.length);
  key.writeUInt32BE(index, prefix.length + VERSION_BYTES);
  return key;
}

/** Key that files an entry under what it is about; without a revision, it is before all of them. */
export function aboutKey(about: string, revision?: number): Buffer {
  const prefix = Buffer.concat([ownKey("about/"), Buffer.from(`${about}\0`)]);
  if (revision === undefined) return prefix;
  const key = Buffer.alloc(prefix.length + VERSION_BYTES);
  prefix.copy(key);
  putNumber(key, revision, prefix.length);
  return key;
}

/** The revision in the bytes of a key made by {@link aboutKey}. */
export function revisionOfAbout(key: Uint8Array): number {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.length);
  return decodeVersion(bytes.subarray(bytes.length - VERSION_BYTES));
}

/** Key of the record that says whether a stage is in force. */
export function stageKey(number: number): Buffer {
  return numbered("stage/", number);
}

/** The number in the bytes of a key made by {@link stageKey}. */
export function stageOfKey(key: Uint8Array): number {
  return decodeVersion(Buffer.from(key.buffer, key.byteOffset, key.length).subarray("\0stage/".length));
}

/** Key of what a record was before a stage; without the record's key, it is before all of the stage. */
export function beforeKey(number: number, key: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([numbered("before/", number), key]);
}

/** The stage and the record's key in the bytes of a key made by {@link beforeKey}. */
export function splitBeforeKey(key: Uint8Array): { readonly number: number; readonly record: Buffer } {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.length);
  const start = "\0before/".length;
  return { number: decodeVersion(bytes.subarray(start)), record: bytes.subarray(start + VERSION_BYTES) };
}

function numbered(name: string, number: number): Buffer {
  const prefix = ownKey(name);
  const key = Buffer.alloc(prefix.length + VERSION_BYTES);
  prefix.copy(key);
  putNumber(key, number, prefix.length);
  return key;
}

/** First key of the log of changes of format 2, and the key after its last. */
export const CHANGES_OF_FORMAT_2 = { start: ownKey("change/"), end: ownKey("change0") } as const;

/** Key of a record. */
export function recordKey(partition: string, key: string): Buffer {
  return Buffer.from(`${partition}\0${key}`);
}

/** The text key in the bytes of a record's key. */
export function textKey(partition: string, bytes: Uint8Array): string {
  return bufferOf(bytes).toString("utf8", partition.length + 1, bytes.length);
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

/** A record as it was read. */
export interface ReadRecord extends StoredRecord {
  /** Present if the bytes are not those that were written. */
  readonly damaged?: true;
  /** Number of the stage that wrote it, in place of a version; the record counts as {@link StagedRecords} says. */
  readonly stage?: number;
  /** The stage removes the record. */
  readonly gone?: true;
}

/** Bytes of a value. */
export function encodeValue({ version, value, staged }: VersionedValue): Buffer {
  const at = VERSION_BYTES + CHECKSUM_BYTES;
  const bytes = Buffer.allocUnsafe(at + Buffer.byteLength(value));
  putNumber(bytes, version, 0);
  if (typeof value === "string") bytes.write(value, at);
  else value.copy(bytes, at);
  bytes[0]! |=
    HAS_CHECKSUM | (staged === undefined ? 0 : staged === "gone" ? IS_STAGED | IS_GONE : IS_STAGED);
  bytes.writeUInt32BE(checksumOf(bytes), VERSION_BYTES);
  return bytes;
}

/** The record in the bytes of a value. Copies: the bytes may be reused afterwards. */
export function decodeRecord(bytes: Uint8Array): ReadRecord {
  const view = bufferOf(bytes);
  if (view.length < VERSION_BYTES) return { value: "", version: "0", damaged: true };
  const version = versionText(decodeVersion(view));
  if ((view[0]! & HAS_CHECKSUM) === 0)
    return { value: view.toString("utf8", VERSION_BYTES, view.length), version };
  const value = view.toString("utf8", VERSION_BYTES + CHECKSUM_BYTES, view.length);
  const sound = view.length >= VERSION_BYTES + CHECKSUM_BYTES && hasItsChecksum(view);
  if (!sound) return { value, version, damaged: true };
  if ((view[0]! & IS_STAGED) === 0) return { value, version };
  const stage = decodeVersion(view);
  return (view[0]! & IS_GONE) === 0 ? { value, version, stage } : { value, version, stage, gone: true };
}

function hasItsChecksum(bytes: Buffer): boolean {
  return bytes.readUInt32BE(VERSION_BYTES) === checksumOf(bytes);
}

function checksumOf(bytes: Buffer): number {
  const at = VERSION_BYTES + CHECKSUM_BYTES;
  const text = new Uint8Array(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
  return crc32(text, checksumOfHead(bytes.readUInt32BE(0))(bytes.readUInt32BE(4)));
}

/** The checksum of a value's first bytes: what was written together has the same. */
const checksumOfHead = rememberLast((high: number) =>
  rememberLast((low: number) => {
    const head = Buffer.alloc(VERSION_BYTES);
    head.writeUInt32BE(high, 0);
    head.writeUInt32BE(low, 4);
    return crc32(head);
  }),
);

/** The text of a version: records that were written together share one. */
const versionText = rememberLast((version: number) => String(version));

/**
 * The same bytes. The library reads values into one large buffer, whose property `length` it sets to that of the value: what
 * is made of it needs to be told where the value ends.
 */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The version in the bytes of a value, or a revision in a key. */
export function decodeVersion(bytes: Buffer): number {
  return (bytes.readUInt32BE(0) & ~(FLAGS << 24)) * TWO_TO_32 + bytes.readUInt32BE(4);
}

function putNumber(bytes: Buffer, number: number, at: number): void {
  bytes.writeUInt32BE(Math.floor(number / TWO_TO_32), at);
  bytes.writeUInt32BE(number % TWO_TO_32, at + 4);
}

function ownKey(name: string): Buffer {
  return Buffer.from(`\0${name}`);
}
