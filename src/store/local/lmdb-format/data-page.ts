/**
 * One page of LMDB's data file: its header and its nodes, with every bound checked. Nothing is made for a node: a directory
 * of a million users has millions of them, and each start reads all.
 */

import { pageError } from "./page-error.ts";

/** Length of a key in the list of free pages, which is a number. */
export const FREE_KEY_BYTES = 8;
/** Longest key that LMDB takes with pages of 4 KiB. */
export const MAX_NODE_KEY_BYTES = 1_978;

const PAGE_IS_BRANCH = 0x01;
const PAGE_IS_LEAF = 0x02;
const PAGE_IS_OVERFLOW = 0x04;
const NODE_BYTES = 8;
/** Flag of a value that has pages of its own; the value is the number of their first, their state, and their count. */
const NODE_HAS_PAGES = 0x01;
const PAGES_BYTES = 24;
const TWO_TO_32 = 2 ** 32;

/** Bytes before the nodes of a page. */
export const HEADER_BYTES = 24;

/** A number of 8 bytes; one beyond what a file can have is not exact, and beyond it still. */
function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * TWO_TO_32;
}

/** Throws Error where bytes are not the header of the first of the pages of a large value. */
export function assertLarge(
  number: number,
  bytes: Buffer,
  { count, transaction }: { readonly count: number; readonly transaction: number },
): void {
  const isFirst = numberAt(bytes, 0) === number && bytes.readUInt16LE(18) === PAGE_IS_OVERFLOW;
  const isWhole = bytes.readUInt32LE(20) === count && numberAt(bytes, 8) <= transaction;
  if (!isFirst || !isWhole) throw pageError(number, "is not that of a large value");
}

/** A branch or a leaf in a buffer that takes one page after the other. */
export class DataPage {
  readonly bytes: Buffer;
  isLeaf = false;
  /** Number of its nodes. */
  count = 0;
  /** Place of the node that was looked at, and of its key. */
  at = 0;
  keyStart = 0;
  keyEnd = 0;
  #number = 0;
  #upper = 0;

  constructor(pageSize: number) {
    this.bytes = Buffer.alloc(pageSize);
  }

  /** Takes the page that the buffer has now. @throws Error where it is no such page, or of a later state */
  take(number: number, transaction: number): void {
    const { bytes } = this;
    this.#number = number;
    const flags = bytes.readUInt16LE(18);
    if (numberAt(bytes, 0) !== number) throw pageError(number, "is another one");
    if (numberAt(bytes, 8) > transaction) throw pageError(number, "is of a later state");
    if (flags !== PAGE_IS_BRANCH && flags !== PAGE_IS_LEAF) throw pageError(number, "is of no known kind");
    this.isLeaf = flags === PAGE_IS_LEAF;
    // Bounds and places of nodes count from the end of the header.
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    this.#upper = upper;
    this.count = lower / 2;
    const hasBounds = lower % 2 === 0 && lower <= upper && upper <= bytes.length - HEADER_BYTES;
    // LMDB takes a branch of one for a fault of its own and ends the process.
    if (!hasBounds || this.count < (this.isLeaf ? 1 : 2)) throw pageError(number, "has wrong bounds");
  }

  /** Looks at a node; the key of the first of a branch is empty. @throws Error where it is none */
  look(index: number, maxKeyBytes: number): void {
    const { bytes, isLeaf } = this;
    const place = bytes.readUInt16LE(HEADER_BYTES + 2 * index);
    if (place < this.#upper || place + NODE_BYTES > bytes.length - HEADER_BYTES)
      throw pageError(this.#number, "has a node outside of it");
    const at = HEADER_BYTES + place;
    const length = bytes.readUInt16LE(at + 6);
    this.at = at;
    this.keyStart = at + NODE_BYTES;
    this.keyEnd = this.keyStart + length;
    const isKey = (!isLeaf && index === 0) || isLength(length, maxKeyBytes);
    if (this.keyEnd > bytes.length || !isKey) throw pageError(this.#number, "has a key of a wrong length");
    if (!isLeaf) return;
    const flags = bytes.readUInt16LE(at + 4);
    if ((flags & ~NODE_HAS_PAGES) !== 0) throw pageError(this.#number, "has a node of no known kind");
    const valueBytes = flags === 0 ? this.valueBytes : PAGES_BYTES;
    if (this.keyEnd + valueBytes > bytes.length)
      throw pageError(this.#number, "has a value that ends outside of it");
  }

  /** The page that the node of a branch leads to. */
  get child(): number {
    return this.bytes.readUInt32LE(this.at) + this.bytes.readUInt16LE(this.at + 4) * TWO_TO_32;
  }

  /** Length of the value of the node of a leaf. */
  get valueBytes(): number {
    return this.bytes.readUInt32LE(this.at);
  }

  /** True for a value that has pages of its own. */
  get hasPages(): boolean {
    return this.bytes.readUInt16LE(this.at + 4) !== 0;
  }

  /** The first of these pages, and their number. */
  get pages(): { readonly first: number; readonly count: number } {
    return { first: numberAt(this.bytes, this.keyEnd), count: numberAt(this.bytes, this.keyEnd + 16) };
  }
}

function isLength(length: number, most: number): boolean {
  // A number is always as long.
  return most === FREE_KEY_BYTES ? length === most : length > 0 && length <= most;
}
