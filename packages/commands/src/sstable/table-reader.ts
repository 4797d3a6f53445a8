/**
 * Reads tables in the block-based format of RocksDB, in which a data server keeps the entries of commits: sorted blocks
 * of keys and values, an index of them, properties, and a footer that says where those are.
 */

import { zstdDecompressSync } from "node:zlib";
import { crc32c, masked } from "./crc32c.ts";
import { unsnap } from "./snappy.ts";

const FOOTER = 53;
const ROCKSDB_MAGIC = 0x88e241b785f4cff7n;
const PROPERTIES = "rocksdb.properties";
const INDEX_TYPE = "rocksdb.block.based.table.index.type";
const TWO_LEVELS = 2;

/** Bytes behind the key of an entry: sequence number and kind. */
const KEY_TRAILER = 8;
/** Bytes behind a block: how it is compressed, and its checksum. */
const BLOCK_TRAILER = 5;
const CRC32C = 1;

/** One entry. */
export interface TableEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A table. */
export interface Table {
  /** Properties that its writer gave it, and those of the format. */
  readonly properties: ReadonlyMap<string, string>;
  /** The entries in the order of their keys. */
  entries(): Generator<TableEntry>;
}

interface Handle {
  readonly offset: number;
  readonly length: number;
}

/**
 * Opens a table.
 * @throws Error for a file that is no such table; while entries are read, for a block that is damaged
 */
export function openTable(file: Buffer): Table {
  if (file.length < FOOTER || file.readBigUInt64LE(file.length - 8) !== ROCKSDB_MAGIC) {
    throw new Error("this is no table: the end of the file is another one");
  }
  const footer = file.subarray(file.length - FOOTER);
  if (footer[0] !== CRC32C)
    throw new Error(`the checksums of the table are of kind ${footer[0]}, not CRC-32C`);
  const meta = handleOf(footer, 1);
  const index = handleOf(footer, meta.next).handle;
  const metaBlocks = new Map(
    [...blockEntries(block(file, meta.handle))].map(({ key, value }) => [key.toString(), value]),
  );
  const at = metaBlocks.get(PROPERTIES);
  const listed = at === undefined ? [] : [...blockEntries(block(file, handleOf(at, 0).handle))];
  const type = listed.find(({ key }) => key.toString() === INDEX_TYPE)?.value;
  const levels = type !== undefined && type.length >= 4 && type.readUInt32LE(0) === TWO_LEVELS ? 2 : 1;
  return {
    properties: new Map(listed.map(({ key, value }) => [key.toString(), value.toString()])),
    *entries() {
      for (const data of dataBlocks(file, index, levels)) {
        for (const { key, value } of blockEntries(data)) {
          yield { key: key.subarray(0, Math.max(0, key.length - KEY_TRAILER)), value };
        }
      }
    },
  };
}

function* dataBlocks(file: Buffer, index: Handle, levels: number): Generator<Buffer> {
  for (const { value } of blockEntries(block(file, index))) {
    const { handle } = handleOf(value, 0);
    if (levels > 1) yield* dataBlocks(file, handle, levels - 1);
    else yield block(file, handle);
  }
}

/** The content of a block, unpacked. */
function block(file: Buffer, { offset, length }: Handle): Buffer {
  const end = offset + length;
  if (end + BLOCK_TRAILER > file.length) throw new Error("the table ends in the middle of a block");
  const checksum = masked(crc32c(file.subarray(offset, end + 1)));
  if (checksum !== file.readUInt32LE(end + 1)) throw new Error(`the block at byte ${offset} is damaged`);
  const content = file.subarray(offset, end);
  const compression = file[end];
  if (compression === 0) return content;
  if (compression === 1) return unsnap(content);
  // Behind the length of the content, which is a varint.
  if (compression === 7) return zstdDecompressSync(content.subarray(varint(content, 0).next));
  throw new Error(`the compression ${compression} of a block is not known`);
}

/** The entries of a block: each key without what it has in common with the one before. */
function* blockEntries(content: Buffer): Generator<TableEntry> {
  const restarts = content.readUInt32LE(content.length - 4);
  const end = content.length - 4 - restarts * 4;
  if (end < 0) throw new Error("a block is damaged");
  let key = Buffer.alloc(0);
  for (let at = 0; at < end; ) {
    const shared = varint(content, at);
    const rest = varint(content, shared.next);
    const size = varint(content, rest.next);
    const keyEnd = size.next + rest.value;
    const valueEnd = keyEnd + size.value;
    if (shared.value > key.length || valueEnd > end) throw new Error("a block is damaged");
    key = Buffer.concat([key.subarray(0, shared.value), content.subarray(size.next, keyEnd)]);
    yield { key, value: content.subarray(keyEnd, valueEnd) };
    at = valueEnd;
  }
}

function handleOf(bytes: Buffer, at: number): { readonly handle: Handle; readonly next: number } {
  const offset = varint(bytes, at);
  const length = varint(bytes, offset.next);
  return { handle: { offset: offset.value, length: length.value }, next: length.next };
}

function varint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  throw new Error("the table has a number that does not end");
}
