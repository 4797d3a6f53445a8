/** The store in memory (`database.type: mem`): a copy-on-write B+ tree, so that a snapshot costs nothing. */

import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type sortedBTree from "sorted-btree";
import { compareUtf8 } from "../../model/utf8-order.ts";
import { Turns } from "../../schedule/turns.ts";
import type { CheckedCommit, CheckedScan } from "../checks.ts";
import { checkCommit, checkPartition, checkScan } from "../checks.ts";
import { CommitListeners } from "../commit-listeners.ts";
import type {
  Change,
  Commit,
  CommitListener,
  CommittedChange,
  ScannedRecord,
  ScanOptions,
  Snapshot,
  StoredRecord,
} from "../port.ts";
import { RecentWrites } from "../recent-writes.ts";
import { expectationFailed, snapshotReleased, storeClosed } from "../refusals.ts";
import type { Replica, VersionedRecord } from "../replica.ts";

/** Records of a page of the whole state. */
const STATE_PAGE = 500;

/** Changes that are kept for those who follow. */
const MOST_CHANGES = 10_000;

type Tree = sortedBTree.default<string, StoredRecord>;

/** The whole state of a memory store at one moment; opaque, made by `capture` and used by `restore`. */
export interface MemoryImage {
  readonly kind: "memory-image";
}

/** A store in memory that can be put back to an earlier state, for tests. */
export interface MemoryStore extends Replica {
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
  /** 8 characters, as an id of a log has them. */
  readonly logId = randomBytes(6).toString("base64url");
  #tree: Tree = new BTree<string, StoredRecord>(undefined, compareUtf8);
  #revision = 0;
  readonly #recent = new RecentWrites(0);
  readonly #changes: CommittedChange[] = [];
  readonly #listeners = new CommitListeners();
  /** Commits happen one after the other: a large one lets other work run in between. */
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    return new TreeSnapshot(this.#tree.clone(), this.#revision, () => this.#assertOpen());
  }

  async commit(commit: Commit): Promise<number> {
    this.#assertOpen();
    const done = this.#tail.then(async () => this.#apply(await checkCommit(commit)));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    this.#assertOpen();
    const oldest = this.#changes[0]?.revision ?? this.#revision + 1;
    if (after < oldest - 1) return undefined;
    const first = this.#changes.findIndex(({ revision }) => revision > after);
    return first < 0 ? [] : this.#changes.slice(first, first + limit);
  }

  subscribe(listener: CommitListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  async health(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    await this.#tail;
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
    this.#revision += 1;
    this.#recent.restart(this.#revision);
  }

  holds({ reads, expect = [] }: Commit): boolean {
    if (reads !== undefined && this.#recent.touches(reads)) return false;
    return expect.every(
      ({ partition, key, version }) => this.#tree.get(path(partition, key))?.version === version,
    );
  }

  async applyEntry(revision: number, at: string, writes: Writes): Promise<void> {
    this.#assertOpen();
    await this.#write(revision, writes);
    this.#tell({ revision, at, ...changeOf(writes) });
  }

  async replaceState(
    revision: number,
    at: string,
    records: AsyncIterable<readonly VersionedRecord[]>,
  ): Promise<void> {
    this.#assertOpen();
    const tree: Tree = new BTree<string, StoredRecord>(undefined, compareUtf8);
    for await (const page of records) {
      for (const { partition, key, value, version } of page) {
        tree.set(path(partition, key), { value, version: String(version) });
      }
    }
    this.#tree = tree;
    this.#revision = revision;
    this.#recent.restart(revision);
    this.#changes.length = 0;
    this.#listeners.notify({ revision, at, change: { all: true } });
  }

  state(): { readonly revision: number; readonly pages: AsyncIterable<readonly VersionedRecord[]> } {
    return { revision: this.#revision, pages: pagesOf(this.#tree.clone()) };
  }

  async #apply(commit: CheckedCommit): Promise<number> {
    this.#assertOpen();
    if (!this.holds(commit)) throw expectationFailed();
    if (commit.put.length === 0 && commit.delete.length === 0) return this.#revision;
    const revision = this.#revision + 1;
    await this.#write(revision, commit);
    this.#tell({ revision, at: new Date().toISOString(), ...changeOf(commit) });
    return revision;
  }

  async #write(revision: number, commit: Writes): Promise<void> {
    const version = String(revision);
    // Applied to a copy, which costs nothing: no snapshot sees half of a commit that lets other work run.
    const before = this.#tree;
    const tree = before.clone();
    const turns = new Turns();
    for (const { partition, key, value } of commit.put) {
      tree.set(path(partition, key), { value, version });
      if (turns.spent) await turns.yield();
    }
    for (const { partition, key } of commit.delete) {
      tree.delete(path(partition, key));
      if (turns.spent) await turns.yield();
    }
    if (this.#tree !== before) throw expectationFailed();
    this.#tree = tree;
    this.#revision = revision;
    this.#recent.add(revision, commit.put, commit.delete);
  }

  #tell(change: CommittedChange): void {
    this.#changes.push(change);
    if (this.#changes.length > MOST_CHANGES) this.#changes.splice(0, this.#changes.length - MOST_CHANGES);
    this.#listeners.notify(change);
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}

type Writes = Pick<CheckedCommit, "put" | "delete"> & { readonly change?: Change };

function changeOf({ change }: Writes): { readonly change?: Change } {
  return change === undefined ? {} : { change };
}

async function* pagesOf(tree: Tree): AsyncGenerator<readonly VersionedRecord[]> {
  let page: VersionedRecord[] = [];
  for (const [name, { value, version }] of tree.entries()) {
    const end = name.indexOf("\0");
    page.push({ partition: name.slice(0, end), key: name.slice(end + 1), value, version: Number(version) });
    if (page.length < STATE_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

class TreeSnapshot implements Snapshot {
  #tree: Tree | undefined;
  readonly revision: number;
  readonly #assertOpen: () => void;

  constructor(tree: Tree, revision: number, assertOpen: () => void) {
    this.#tree = tree;
    this.revision = revision;
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
