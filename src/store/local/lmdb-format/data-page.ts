/** One page of LMDB's data file: its header and its nodes, with every bound checked. */

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

/** A node of a page. */
export interface PageNode {
  readonly bytes: Buffer;
  readonly key: Buffer;
  /** Length of the value; undefined in a branch. */
  readonly size: number;
  /** The value, where it stands in the page. */
  readonly value: Buffer | undefined;
  /** The pages of a value that does not. */
  readonly pages: { readonly first: bigint; readonly count: bigint } | undefined;
}

/** A branch or a leaf. */
export class DataPage {
  static readonly HEADER_BYTES = 24;
  readonly isLeaf: boolean;
  readonly #number: bigint;
  readonly #bytes: Buffer;

  /** @throws Error where the bytes are no such page, or of a state later than `transaction` */
  constructor(number: bigint, bytes: Buffer, transaction: bigint) {
    this.#number = number;
    this.#bytes = bytes;
    const flags = bytes.readUInt16LE(18);
    if (bytes.readBigUInt64LE(0) !== number) throw this.#error("is another one");
    if (bytes.readBigUInt64LE(8) > transaction) throw this.#error("is of a later state");
    if (flags !== PAGE_IS_BRANCH && flags !== PAGE_IS_LEAF) throw this.#error("is of no known kind");
    this.isLeaf = flags === PAGE_IS_LEAF;
  }

  /** Throws Error where bytes are not the header of the first of the pages of a large value. */
  static assertLarge(
    number: bigint,
    bytes: Buffer,
    { count, transaction }: { readonly count: bigint; readonly transaction: bigint },
  ): void {
    const isFirst = bytes.readBigUInt64LE(0) === number && bytes.readUInt16LE(18) === PAGE_IS_OVERFLOW;
    const isWhole = BigInt(bytes.readUInt32LE(20)) === count && bytes.readBigUInt64LE(8) <= transaction;
    if (!isFirst || !isWhole) throw new Error(`page ${number} is not that of a large value`);
  }

  /** The nodes in their order; the key of the first of a branch is empty. */
  *nodes(maxKeyBytes: number): Generator<PageNode> {
    const bytes = this.#bytes;
    const room = bytes.length - DataPage.HEADER_BYTES;
    // Bounds and places of nodes count from the end of the header.
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    const count = lower / 2;
    const hasBounds = lower % 2 === 0 && lower <= upper && upper <= room;
    // LMDB takes a branch of one for a fault of its own and ends the process.
    if (!hasBounds || count < (this.isLeaf ? 1 : 2)) throw this.#error("has wrong bounds");
    for (let index = 0; index < count; index++) {
      const at = bytes.readUInt16LE(DataPage.HEADER_BYTES + 2 * index);
      if (at < upper || at + NODE_BYTES > room) throw this.#error("has a node outside of it");
      yield this.#node(DataPage.HEADER_BYTES + at, maxKeyBytes, !this.isLeaf && index === 0);
    }
  }

  #node(at: number, maxKeyBytes: number, isFirstOfBranch: boolean): PageNode {
    const node = this.#bytes.subarray(at);
    const end = NODE_BYTES + node.readUInt16LE(6);
    const isKey = end <= node.length && (isFirstOfBranch || isLength(end - NODE_BYTES, maxKeyBytes));
    if (!isKey) throw this.#error("has a key of a wrong length");
    const key = node.subarray(NODE_BYTES, end);
    if (!this.isLeaf) return { bytes: node, key, size: 0, value: undefined, pages: undefined };
    const size = node.readUInt32LE(0);
    const flags = node.readUInt16LE(4);
    if ((flags & ~NODE_HAS_PAGES) !== 0) throw this.#error("has a node of no known kind");
    if (flags === 0) {
      if (end + size > node.length) throw this.#error("has a value that ends outside of it");
      return { bytes: node, key, size, value: node.subarray(end, end + size), pages: undefined };
    }
    if (end + PAGES_BYTES > node.length) throw this.#error("has a value that ends outside of it");
    const pages = { first: node.readBigUInt64LE(end), count: node.readBigUInt64LE(end + 16) };
    return { bytes: node, key, size, value: undefined, pages };
  }

  #error(what: string): Error {
    return new Error(`page ${this.#number} ${what}`);
  }
}

/** The page that a node of a branch leads to. */
export function childOf({ bytes }: PageNode): bigint {
  return BigInt(bytes.readUInt32LE(0)) + (BigInt(bytes.readUInt16LE(4)) << 32n);
}

function isLength(length: number, most: number): boolean {
  // A number is always as long.
  return most === FREE_KEY_BYTES ? length === most : length > 0 && length <= most;
}
