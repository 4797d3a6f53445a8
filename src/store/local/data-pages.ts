/**
 * Follows the pages of LMDB's data file without the library, which ends the process where it meets a page of zeros in
 * place of one that it needs.
 */

import { readSync } from "node:fs";

/** The pages from which those of one state are found. */
export interface DataTrees {
  readonly pageSize: number;
  /** Root pages of the list of free pages and of the records; {@link NO_PAGE} for an empty tree. */
  readonly roots: readonly bigint[];
}

/** Root of an empty tree. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const PAGE_IS_BRANCH = 0x01;
const PAGE_IS_LEAF = 0x02;
const PAGE_IS_OVERFLOW = 0x04;
const HEADER_BYTES = 24;
const NODE_BYTES = 8;
/** Flag of a value that has pages of its own; the value is the number of their first, their state, and their count. */
const NODE_HAS_PAGES = 0x01;

/**
 * True when a file of `size` bytes has every page in use, each where it should be. The file may end before its last
 * page, as pages that became free before they were written are never written.
 */
export function hasAllPages(handle: number, size: number, { pageSize, roots }: DataTrees): boolean {
  const most = Math.floor(size / pageSize);
  const waiting = roots.filter((root) => root !== NO_PAGE);
  const page = Buffer.alloc(pageSize);
  for (let seen = 0; waiting.length > 0; seen++) {
    const number = waiting.pop()!;
    // A circle of pages would never end.
    if (seen > most || number >= most || !readPage(handle, page, number)) return false;
    const flags = page.readUInt16LE(18);
    if ((flags & (PAGE_IS_BRANCH | PAGE_IS_LEAF)) === 0) return false;
    for (const node of nodesOf(page)) {
      if ((flags & PAGE_IS_BRANCH) !== 0) waiting.push(childOf(node));
      else if (!hasItsPages(handle, node, { pageSize, most })) return false;
    }
  }
  return true;
}

function readPage(handle: number, page: Buffer, number: bigint): boolean {
  const at = Number(number) * page.length;
  return readSync(handle, page, 0, page.length, at) === page.length && page.readBigUInt64LE(0) === number;
}

function* nodesOf(page: Buffer): Generator<Buffer> {
  const count = page.readUInt16LE(20) >> 1;
  for (let index = 0; index < count && HEADER_BYTES + 2 * index < page.length; index++) {
    const at = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * index);
    yield at + NODE_BYTES <= page.length ? page.subarray(at) : Buffer.alloc(NODE_BYTES);
  }
}

function childOf(node: Buffer): bigint {
  return BigInt(node.readUInt32LE(0)) + (BigInt(node.readUInt16LE(4)) << 32n);
}

/** True unless the value of a leaf's node has pages that are missing. */
function hasItsPages(
  handle: number,
  node: Buffer,
  { pageSize, most }: { readonly pageSize: number; readonly most: number },
): boolean {
  if ((node.readUInt16LE(4) & NODE_HAS_PAGES) === 0) return true;
  const at = NODE_BYTES + node.readUInt16LE(6);
  if (at + 8 > node.length) return false;
  const first = node.readBigUInt64LE(at);
  if (first >= most) return false;
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(handle, header, 0, HEADER_BYTES, Number(first) * pageSize) < HEADER_BYTES) return false;
  const isFirst = header.readBigUInt64LE(0) === first && (header.readUInt16LE(18) & PAGE_IS_OVERFLOW) !== 0;
  return isFirst && Number(first) + header.readUInt32LE(20) <= most;
}
