/** Reads the two pages of LMDB's data file that describe it: one of them has the newest state. */

import { readSync } from "node:fs";
import { type DataTree, type DataTrees, NO_PAGE } from "./data-pages.ts";

/** Length of the part of a page that describes the whole file. */
const META_BYTES = 160;
/** Place of the number of its transaction in such a page. */
export const TRANSACTION_AT = 152;
const PAGE_IS_META = 0x08;
/** Number that marks LMDB's files. */
export const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** Highest address that a map of the file may end at. */
const MAX_MAP_BYTES = 2n ** 46n;
/** Flags of the list of free pages: its keys are numbers. */
const KEYS_ARE_NUMBERS = 0x08;

/** Times that both pages are read while another process writes them. */
const MOST_READS = 100;

/** Returns the newest state of a data file. @throws Error for a file that is none of LMDB's, or not whole */
export function newestState(handle: number): DataTrees {
  let first = readMeta(handle, 0);
  let second = readMeta(handle, first.pageSize);
  // Between two reads a process that writes may go on by several states: they are of one moment where the first stayed.
  for (let reads = 1; reads < MOST_READS; reads++) {
    const again = readMeta(handle, 0);
    if (again.transaction === first.transaction) break;
    first = again;
    second = readMeta(handle, first.pageSize);
  }
  // States take turns, so that one of them is always whole.
  const distance = second.transaction - first.transaction;
  const takeTurns = first.transaction % 2n === 0n && second.transaction % 2n === 1n;
  const follow = takeTurns && (distance === 1n || distance === -1n);
  // A new file, or a copy that LMDB made, has none before the newest.
  if (!follow && first.transaction !== 0n) throw new Error("its states do not follow each other");
  return distance > 0n ? second : first;
}

function readMeta(handle: number, offset: number): DataTrees {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(handle, bytes, 0, META_BYTES, offset) < META_BYTES) throw new Error("it has no state");
  const isMeta = bytes.readUInt16LE(18) === PAGE_IS_META && bytes.readUInt32LE(24) === MAGIC;
  if (!isMeta) throw new Error("it is no file of LMDB");
  const version = bytes.readUInt32LE(28);
  if (version !== DATA_VERSION) throw new Error(`it has LMDB's data version ${version}`);
  const pageSize = bytes.readUInt32LE(48);
  if (![512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].includes(pageSize) || pageSize < offset) {
    throw new Error(`it has pages of ${pageSize} bytes`);
  }
  const [mapBytes, lastPage, transaction] = [40, 144, TRANSACTION_AT].map((at) => bytes.readBigUInt64LE(at));
  const areFlags = bytes.readUInt16LE(52) === KEYS_ARE_NUMBERS && bytes.readUInt16LE(100) === 0;
  const fits = mapBytes! <= MAX_MAP_BYTES && lastPage! < MAX_MAP_BYTES / BigInt(pageSize);
  if (!areFlags || !fits || bytes.readUInt32LE(96) !== 0) throw new Error("its description is not LMDB's");
  const [free, records] = [readTree(bytes, 48), readTree(bytes, 96)];
  return { pageSize, free, records, lastPage: lastPage!, transaction: transaction! };
}

function readTree(bytes: Buffer, at: number): DataTree {
  const root = bytes.readBigUInt64LE(at + 40);
  const depth = bytes.readUInt16LE(at + 6);
  return { root, depth: root === NO_PAGE ? 0 : depth, entries: bytes.readBigUInt64LE(at + 32) };
}
