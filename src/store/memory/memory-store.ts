/** The store in memory (`database.type: mem`): a copy-on-write B+ tree, so that a snapshot costs nothing. */

import { createRequire } from "node:module";
import type sortedBTree from "sorted-btree";
import { compareUtf8 } from "../../model/utf8-order.ts";
import type { CheckedCommit, CheckedScan } from "../checks.ts";
import { checkCommit, checkPartition, checkScan } from "../checks.ts";
import type { Commit, ScannedRecord, ScanOptions, Snapshot, Store, StoredRecord } from "../port.ts";
import { expectationFailed, snapshotReleased, storeClosed } from "../refusals.ts";

type Tree = sortedBTree.default<string, StoredRecord>;

/** The whole state of a memory store at one moment; opaque, made by `capture` and used by `restore`. */
export interface MemoryImage {
  readonly kind: "memory-image";
}

/** A store in memory that can be put back to an earlier state, for tests. */
export interface MemoryStore extends Store {
  /** An image of the whole state, in O(1). Later writes do not change it. */
  capture(): MemoryImage;
  /**
   * Puts the state of an image back, in O(1), any number of times. Open snapshots keep what they see; versions
   * given afterwards are still new.
   */
  restore(image: MemoryImage): void;
}

// Required, not imported: loaders of tests and Node disagree about what the default import of this package is.
const { default: BTree } = createRequire(import.meta.url)("sorted-btree") as typeof sortedBTree;

const trees = new WeakMap<MemoryImage, Tree>();

/** Opens an empty store in memory. */
export function openMemoryStore(): MemoryStore {
  return new TreeStore();
}

class TreeStore implements MemoryStore {
  #tree: Tree = new BTree<string, StoredRecord>(undefined, compareUtf8);
  #lastVersion = 0;
  #closed = false;

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    return new TreeSnapshot(this.#tree.clone(), () => this.#assertOpen());
  }

  async commit(commit: Commit): Promise<void> {
    this.#assertOpen();
    this.#apply(checkCommit(commit));
  }

  async health(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#tree.clear();
  }

  capture(): MemoryImage {
    this.#assertOpen();
    const image: MemoryImage = Object.freeze({ kind: "memory-image" });
    trees.set(image, this.#tree.clone());
    return image;
  }

  restore(image: MemoryImage): void {
    this.#assertOpen();
    const tree = trees.get(image);
    if (tree === undefined) throw new TypeError("restore() takes what capture() returned");
    this.#tree = tree.clone();
  }

  #apply(commit: CheckedCommit): void {
    for (const { partition, key, version } of commit.expect) {
      if (this.#tree.get(path(partition, key))?.version !== version) throw expectationFailed();
    }
    const version = String(++this.#lastVersion);
    for (const { partition, key, value } of commit.put)
      this.#tree.set(path(partition, key), { value, version });
    for (const { partition, key } of commit.delete) this.#tree.delete(path(partition, key));
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}

class TreeSnapshot implements Snapshot {
  #tree: Tree | undefined;
  readonly #assertOpen: () => void;

  constructor(tree: Tree, assertOpen: () => void) {
    this.#tree = tree;
    this.#assertOpen = assertOpen;
  }

  async get(partition: string, key: string): Promise<StoredRecord | undefined> {
    checkPartition(partition);
    return this.#read().get(path(partition, key));
  }

  async getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    checkPartition(partition);
    const tree = this.#read();
    return keys.map((key) => tree.get(path(partition, key)));
  }

  async scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]> {
    const tree = this.#read();
    const scan = checkScan(partition, options);
    return scan === undefined ? [] : scanTree(tree, partition, scan);
  }

  release(): void {
    this.#tree = undefined;
  }

  #read(): Tree {
    this.#assertOpen();
    if (this.#tree === undefined) throw snapshotReleased();
    return this.#tree;
  }
}

function scanTree(tree: Tree, partition: string, { prefix, after, limit }: CheckedScan): ScannedRecord[] {
  const first = path(partition, prefix);
  const previous = after === undefined ? undefined : path(partition, after);
  const start = previous !== undefined && compareUtf8(previous, first) > 0 ? previous : first;
  const found: ScannedRecord[] = [];
  for (const [name, record] of tree.entries(start)) {
    if (!name.startsWith(first)) break;
    if (name === previous) continue;
    found.push({ key: name.slice(partition.length + 1), value: record.value, version: record.version });
    if (found.length === limit) break;
  }
  return found;
}

/** One text for both: NUL is in no partition and no key, and sorts before everything. */
function path(partition: string, key: string): string {
  return `${partition}\0${key}`;
}
