/**
 * Reads every page of a state in LMDB's data file without the library, which ends the process by a signal where a page
 * is not what it expects. What passes here can be opened, read and written.
 */

import { readSync } from "node:fs";
import { childOf, DataPage, FREE_KEY_BYTES, MAX_NODE_KEY_BYTES, type PageNode } from "./data-page.ts";
import { FreePages } from "./free-pages.ts";

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
  readonly #pages: bigint;
  readonly #levels: Buffer[] = [];

  constructor(handle: number, size: number, trees: DataTrees) {
    this.#handle = handle;
    this.#trees = trees;
    const inFile = BigInt(Math.floor(size / trees.pageSize));
    this.#pages = inFile <= trees.lastPage ? inFile : trees.lastPage + 1n;
    this.used = new Uint8Array(Number(this.#pages / 8n) + 1);
  }

  /** @param onValue called with each value, if it is wanted */
  tree({ root, depth, entries }: DataTree, maxKeyBytes: number, onValue?: (value: Buffer) => void): void {
    if (root === NO_PAGE) {
      if (depth !== 0 || entries !== 0n) throw new Error("a tree without pages has entries");
      return;
    }
    if (depth < 1 || depth > MAX_DEPTH) throw new Error(`a tree has a depth of ${depth}`);
    const isFree = onValue !== undefined;
    let last: Buffer | undefined;
    let count = 0n;
    const visit = (number: bigint, level: number): void => {
      const page = this.#read(number, level);
      const isLeaf = level === depth;
      if (page.isLeaf !== isLeaf) throw pageError(number, "stands at a wrong depth");
      for (const node of page.nodes(maxKeyBytes)) {
        if (!isLeaf) {
          visit(childOf(node), level + 1);
          continue;
        }
        count += 1n;
        if (last !== undefined && compareKeys(last, node.key, isFree) >= 0)
          throw pageError(number, "is out of order");
        last = Buffer.from(node.key);
        const value = this.#valueOf(number, node, isFree);
        if (value !== undefined) onValue?.(value);
      }
    };
    visit(root, 1);
    if (count !== entries) throw new Error(`a tree has ${count} entries in place of ${entries}`);
  }

  #read(number: bigint, level: number): DataPage {
    this.#take(number, 1n);
    const { pageSize, transaction } = this.#trees;
    this.#levels[level] ??= Buffer.alloc(pageSize);
    const bytes = this.#levels[level];
    this.#fill(number, bytes);
    return new DataPage(number, bytes, transaction);
  }

  /** Marks pages as used. */
  #take(first: bigint, count: bigint): void {
    if (first < 2n || count < 1n || first + count > this.#pages) throw pageError(first, "is missing");
    for (let number = Number(first); number < Number(first + count); number++) {
      const bit = 1 << (number & 7);
      if ((this.used[number >> 3]! & bit) !== 0) throw pageError(BigInt(number), "is used twice");
      this.used[number >> 3]! |= bit;
    }
  }

  #fill(number: bigint, bytes: Buffer): void {
    const at = Number(number) * this.#trees.pageSize;
    if (readSync(this.#handle, bytes, 0, bytes.length, at) < bytes.length)
      throw pageError(number, "is missing");
  }

  /** The bytes of a value if they are wanted; the pages that a large one has are checked and marked in any case. */
  #valueOf(page: bigint, node: PageNode, isWanted: boolean): Buffer | undefined {
    if (node.pages === undefined) return isWanted ? node.value : undefined;
    const { first, count } = node.pages;
    const { pageSize, transaction } = this.#trees;
    const needed = (BigInt(DataPage.HEADER_BYTES - 1) + BigInt(node.size)) / BigInt(pageSize) + 1n;
    if (count !== needed) throw pageError(page, "has a value of another size than its pages");
    this.#take(first, count);
    const bytes = Buffer.alloc(isWanted ? Number(count) * pageSize : DataPage.HEADER_BYTES);
    this.#fill(first, bytes);
    DataPage.assertLarge(first, bytes, { count, transaction });
    return isWanted ? bytes.subarray(DataPage.HEADER_BYTES, DataPage.HEADER_BYTES + node.size) : undefined;
  }
}

function compareKeys(a: Buffer, b: Buffer, areNumbers: boolean): number {
  if (!areNumbers) return Buffer.compare(a, b);
  const [left, right] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function pageError(number: bigint, what: string): Error {
  return new Error(`page ${number} ${what}`);
}
