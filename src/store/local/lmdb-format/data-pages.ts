/**
 * Reads every page of a state in LMDB's data file without the library, which ends the process by a signal where a page
 * is not what it expects. What passes here can be opened, read and written.
 */

import { readSync } from "node:fs";
import { assertLarge, DataPage, FREE_KEY_BYTES, HEADER_BYTES, MAX_NODE_KEY_BYTES } from "./data-page.ts";
import { FreePages } from "./free-pages.ts";
import { pageError } from "./page-error.ts";

/** A tree as LMDB describes it. */
export interface DataTree {
  /** Number of its root page; {@link NO_PAGE} for an empty tree. */
  readonly root: bigint;
  readonly depth: number;
  readonly entries: bigint;
}

/** The pages from which those of one state are found. */
export interface DataTrees {
  readonly pageSize: number;
  /** Number of the state; no page is of a later one. */
  readonly transaction: bigint;
  /** Highest number of a page. */
  readonly lastPage: bigint;
  /** The list of pages that are not in use. */
  readonly free: DataTree;
  readonly records: DataTree;
}

/** Root of an empty tree. */
export const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** LMDB's limit for the depth of a tree. */
const MAX_DEPTH = 32;

/**
 * Reads the pages of both trees of a state in a file of `size` bytes. The file may end before its last page, as pages
 * that became free before they were written are never written.
 * @throws Error, with the number of the page, where one is missing or is not what it should be
 */
export function assertWholePages(handle: number, size: number, trees: DataTrees): void {
  const walk = new PageWalk(handle, size, trees);
  const free = new FreePages(trees.lastPage);
  walk.tree(trees.free, FREE_KEY_BYTES, (value) => free.add(value));
  walk.tree(trees.records, MAX_NODE_KEY_BYTES);
  const reused = free.firstIn(walk.used);
  if (reused !== undefined) throw new Error(`page ${reused} is in use, and listed as free`);
}

class PageWalk {
  readonly used: Uint8Array;
  readonly #handle: number;
  readonly #trees: DataTrees;
  readonly #transaction: number;
  readonly #pages: number;
  readonly #levels: DataPage[] = [];
  /** The key of the last entry, of which only the beginning is used. */
  readonly #last = Buffer.alloc(MAX_NODE_KEY_BYTES);

  constructor(handle: number, size: number, trees: DataTrees) {
    this.#handle = handle;
    this.#trees = trees;
    this.#transaction = Number(trees.transaction);
    const inFile = Math.floor(size / trees.pageSize);
    this.#pages = Math.min(inFile, Number(trees.lastPage) + 1);
    this.used = new Uint8Array(Math.floor(this.#pages / 8) + 1);
  }

  /** @param onValue called with each value, if it is wanted */
  tree({ root, depth, entries }: DataTree, maxKeyBytes: number, onValue?: (value: Buffer) => void): void {
    if (root === NO_PAGE) {
      if (depth !== 0 || entries !== 0n) throw new Error("a tree without pages has entries");
      return;
    }
    if (depth < 1 || depth > MAX_DEPTH) throw new Error(`a tree has a depth of ${depth}`);
    let lastBytes = 0;
    let count = 0;
    const visit = (number: number, level: number): void => {
      const page = this.#read(number, level);
      if (page.isLeaf !== (level === depth)) throw pageError(number, "stands at a wrong depth");
      if (!page.isLeaf) {
        for (let index = 0; index < page.count; index++) {
          page.look(index, maxKeyBytes);
          visit(page.child, level + 1);
        }
        return;
      }
      lastBytes = this.#leaf(number, page, lastBytes, maxKeyBytes, onValue);
      count += page.count;
    };
    visit(Number(root), 1);
    if (BigInt(count) !== entries) throw new Error(`a tree has ${count} entries in place of ${entries}`);
  }

  /** Reads the entries of a leaf; returns the length of the last key. */
  #leaf(
    number: number,
    page: DataPage,
    lastBytes: number,
    maxKeyBytes: number,
    onValue: ((value: Buffer) => void) | undefined,
  ): number {
    const areNumbers = onValue !== undefined;
    const { bytes } = page;
    let [before, start, end]: [Buffer, number, number] = [this.#last, 0, lastBytes];
    for (let index = 0; index < page.count; index++) {
      page.look(index, maxKeyBytes);
      const { keyStart, keyEnd } = page;
      const isInOrder = areNumbers
        ? isBelow(before, start, end, bytes, keyStart)
        : isBefore(before, start, end, bytes, keyStart, keyEnd);
      if (!isInOrder) throw pageError(number, "is out of order");
      [before, start, end] = [bytes, keyStart, keyEnd];
      if (page.hasPages) this.#largeValue(number, page, onValue);
      else onValue?.(bytes.subarray(keyEnd, keyEnd + page.valueBytes));
    }
    // The buffer takes the next page.
    bytes.copy(this.#last, 0, start, end);
    return end - start;
  }

  #read(number: number, level: number): DataPage {
    this.#take(number, 1);
    this.#levels[level] ??= new DataPage(this.#trees.pageSize);
    const page = this.#levels[level];
    this.#fill(number, page.bytes);
    page.take(number, this.#transaction);
    return page;
  }

  /** Marks pages as used. */
  #take(first: number, count: number): void {
    if (first < 2 || count < 1 || first + count > this.#pages) throw pageError(first, "is missing");
    for (let number = first; number < first + count; number++) {
      const bit = 1 << (number & 7);
      if ((this.used[Math.floor(number / 8)]! & bit) !== 0) throw pageError(number, "is used twice");
      this.used[Math.floor(number / 8)]! |= bit;
    }
  }

  #fill(number: number, bytes: Buffer): void {
    const at = number * this.#trees.pageSize;
    if (readSync(this.#handle, bytes, 0, bytes.length, at) < bytes.length)
      throw pageError(number, "is missing");
  }

  /** Checks and marks the pages of a large value, and reads them if it is wanted. */
  #largeValue(number: number, page: DataPage, onValue: ((value: Buffer) => void) | undefined): void {
    const { first, count } = page.pages;
    const { pageSize } = this.#trees;
    const size = page.valueBytes;
    if (count !== Math.floor((HEADER_BYTES - 1 + size) / pageSize) + 1)
      throw pageError(number, "has a value of another size than its pages");
    this.#take(first, count);
    const bytes = Buffer.alloc(onValue === undefined ? HEADER_BYTES : count * pageSize);
    this.#fill(first, bytes);
    assertLarge(first, bytes, { count, transaction: this.#transaction });
    onValue?.(bytes.subarray(HEADER_BYTES, HEADER_BYTES + size));
  }
}

/** True where a key comes before another; also where there is none before. */
function isBefore(a: Buffer, aStart: number, aEnd: number, b: Buffer, bStart: number, bEnd: number): boolean {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let at = 0; at < length; at++) {
    const difference = a[aStart + at]! - b[bStart + at]!;
    if (difference !== 0) return difference < 0;
  }
  return aEnd - aStart < bEnd - bStart;
}

/** As {@link isBefore}, of numbers. */
function isBelow(a: Buffer, aStart: number, aEnd: number, b: Buffer, bStart: number): boolean {
  return aEnd === aStart || a.readBigUInt64LE(aStart) < b.readBigUInt64LE(bStart);
}
