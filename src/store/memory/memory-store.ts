/** The store in memory (`database.type: mem`): a copy-on-write B+ tree, so that a snapshot costs nothing. */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { Turns } from "../../schedule/turns.ts";
import type { CheckedCommit, CheckedScan } from "../checks.ts";
import { checkCommit, checkPartition, checkScan } from "../checks.ts";
import { committedChange, wholeStateChange } from "../committed-change.ts";
import { EntryIds } from "../entry-ids.ts";
import { isOfState } from "../expectation.ts";
import { Listeners } from "../listeners.ts";
import { laterTime, newId } from "../log-entry.ts";
import { PastSnapshot, type Replaced, ReplacedRecords } from "../past-snapshot.ts";
import type {
  Commit,
  CommitListener,
  CommittedChange,
  EntryWrites,
  History,
  LogHead,
  RecordName,
  ScannedRecord,
  ScanOptions,
  Snapshot,
  StoredRecord,
  VersionedRecord,
} from "../port.ts";
import { RecentWrites } from "../recent-writes.ts";
import { expectationFailed, revisionNotKept, snapshotReleased, storeClosed } from "../refusals.ts";
import type { EntryId, EntryName, FormerState, Replica, StateName } from "../replica.ts";
import { writesOfCommit } from "../use-cases.ts";
import { MemoryLog, type MemoryLogLimits } from "./memory-log.ts";
import { newTree, pagesOf, pathOf, type Tree } from "./tree.ts";
import { formerState, TreeBeside } from "./tree-beside.ts";

/** Entries that a replica keeps for those who follow; the log itself is in its engine. */
const REPLICA_LOG: MemoryLogLimits = { keepMs: 3_600_000, most: 10_000, mostText: 2 ** 24 };

/** Default of `keepMs`: 30 days. */
const KEEP_MS = 30 * 24 * 3_600_000;
/** Entries that a store keeps, whatever their age: about 256 MiB of them. */
const MOST_LOG = { most: 1_000_000, mostText: 2 ** 27 };

/** Options of {@link openMemoryStore}. */
interface MemoryStoreOptions {
  /** Time for which entries are kept (`authorizer.history.keep`), in milliseconds; default 30 days. */
  readonly keepMs?: number;
  /** True for the copy of a log that is kept elsewhere. */
  readonly isReplica?: boolean;
}

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

const trees = new WeakMap<MemoryImage, Tree>();

/** Opens an empty store in memory. */
export function openMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new TreeStore(options);
}

class TreeStore implements MemoryStore {
  #tree: Tree = newTree();
  #revision = 0;
  readonly #node = newId();
  readonly #isReplica: boolean;
  readonly #log: MemoryLog;
  readonly #ids = new EntryIds();
  #head: LogHead = EMPTY_LOG;
  /** See {@link Snapshot.base}. */
  #base = newId();
  readonly #recent = new RecentWrites(0, this.#base);
  readonly #listeners = new Listeners<CommittedChange>();
  /** Commits happen one after the other: a large one lets other work run in between. */
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor({ keepMs = KEEP_MS, isReplica = false }: MemoryStoreOptions) {
    this.#isReplica = isReplica;
    this.#log = new MemoryLog(isReplica ? REPLICA_LOG : { ...MOST_LOG, keepMs });
  }

  readonly history: History = this.#historyOf();

  get logId(): string {
    return this.#head.log.slice(0, 8);
  }

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    return new TreeSnapshot(this.#tree.clone(), this.#revision, this.#base, () => this.#assertOpen());
  }

  async commit(commit: Commit): Promise<number> {
    this.#assertOpen();
    const done = this.#tail.then(async () => this.#apply(await checkCommit(commit)));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    this.#assertOpen();
    return this.#log.after(after, limit);
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
    this.#base = newId();
    this.#recent.restart(this.#revision, this.#base);
    this.#log.restart(this.#revision);
    // No entry leads here: who followed what was before begins anew.
    this.#head = { ...this.#head, revision: this.#revision, id: newId() };
    this.#ids.restart([[this.#revision, this.#head.id]]);
  }

  holds({ reads, expect = [] }: Commit): boolean {
    if (reads !== undefined && this.#recent.touches(reads)) return false;
    return expect.every(
      (one) =>
        isOfState(one, this.#base) && this.#tree.get(pathOf(one.partition, one.key))?.version === one.version,
    );
  }

  async applyEntry(entry: EntryName, writes: EntryWrites): Promise<void> {
    this.#assertOpen();
    await this.#write(entry, writes);
  }

  async replaceState(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent: readonly EntryId[] = [],
  ): Promise<void> {
    this.#assertOpen();
    const beside = new TreeBeside((...made) => this.#replaceBy(...made));
    await beside.fill(last, records, recent);
    await beside.take();
  }

  async beside(): Promise<TreeBeside> {
    this.#assertOpen();
    return new TreeBeside((...made) => this.#replaceBy(...made));
  }

  #replaceBy(last: StateName, tree: Tree, recent: readonly EntryId[]): FormerState {
    this.#assertOpen();
    const { revision, id, at, log } = last;
    const former = formerState(this.#tree, this.#log);
    this.#tree = tree;
    this.#revision = revision;
    this.#base = newId();
    this.#recent.restart(revision, this.#base);
    this.#log.restart(revision);
    this.#ids.restart(recent.length > 0 ? recent : [[revision, id]]);
    this.#head = { revision, id, at, log };
    this.#listeners.notify(wholeStateChange(last));
    return former;
  }

  state(): { readonly revision: number; readonly pages: AsyncIterable<readonly VersionedRecord[]> } {
    return { revision: this.#revision, pages: pagesOf(this.#tree.clone()) };
  }

  async #apply(commit: CheckedCommit): Promise<number> {
    this.#assertOpen();
    if (!this.holds(commit)) throw expectationFailed();
    if (commit.put.length === 0 && commit.delete.length === 0) return this.#revision;
    const revision = this.#revision + 1;
    const at = laterTime(new Date().toISOString(), this.#head.at);
    await this.#write({ revision, id: newId(), at, node: this.#node }, writesOfCommit(commit));
    return revision;
  }

  async #write(name: EntryName, writes: EntryWrites): Promise<void> {
    const { revision, id, at } = name;
    const version = String(revision);
    // Applied to a copy, which costs nothing: no snapshot sees half of a commit that lets other work run.
    const before = this.#tree;
    const tree = before.clone();
    const turns = new Turns();
    const replaced: Replaced[] = [];
    const note = (partition: string, key: string, name: string): void => {
      if (!this.#isReplica) replaced.push({ partition, key, before: tree.get(name) });
    };
    for (const { partition, key, value } of writes.put) {
      const name = pathOf(partition, key);
      note(partition, key, name);
      tree.set(name, { value, version });
      if (turns.spent) await turns.yield();
    }
    for (const { partition, key } of writes.delete) {
      const name = pathOf(partition, key);
      note(partition, key, name);
      tree.delete(name);
      if (turns.spent) await turns.yield();
    }
    if (this.#tree !== before) throw expectationFailed();
    this.#tree = tree;
    this.#revision = revision;
    this.#recent.add(revision, writes.put, writes.delete);
    const entry = committedChange(name, writes);
    this.#log.add({ entry, writes: this.#isReplica ? NO_WRITES : writes, replaced });
    this.#head = { revision, id, at, log: this.#head.log || id };
    this.#ids.add(revision, id);
    this.#listeners.notify(entry);
  }

  #historyOf(): History {
    const store = this;
    return {
      get head() {
        return store.#head;
      },
      keptFrom: async () => (this.#isReplica ? this.#revision : this.#log.floor),
      idOf: async (revision) => this.#ids.at(revision),
      writes: async (revision, id) => (this.#isReplica ? undefined : this.#log.writes(revision, id)),
      writeOf: async (revision, name) => (this.#isReplica ? undefined : this.#log.writeOf(revision, name)),
      snapshotAt: (revision) => this.#snapshotAt(revision),
      recordAt: async (revision, name) => this.#recordAt(revision, name),
      records: (revision) => this.#recordsAt(revision),
      about: async (thing, before, limit) => this.#log.about(thing, before, limit),
      forgetPast: async () => this.#log.restart(this.#revision),
    };
  }

  #recordAt(revision: number, name: RecordName): StoredRecord | undefined {
    const keptFrom = this.#isReplica ? this.#revision : this.#log.floor;
    if (revision > this.#revision || revision < keptFrom) {
      throw revisionNotKept(revision, keptFrom, this.#revision);
    }
    const latest = this.#tree.get(pathOf(name.partition, name.key));
    if (latest !== undefined && Number(latest.version) <= revision) return latest;
    const replaced = this.#log.replacedAfter(revision, name);
    return replaced === undefined ? latest : replaced.before;
  }

  async *#recordsAt(revision: number): AsyncGenerator<readonly VersionedRecord[]> {
    const snapshot = await this.#snapshotAt(revision);
    try {
      yield* snapshot.records(partitionsOf(this.#tree));
    } finally {
      snapshot.release();
    }
  }

  async #snapshotAt(revision: number): Promise<PastSnapshot> {
    const later = await this.snapshot();
    const turns = new Turns();
    const replaced = new ReplacedRecords();
    const keptFrom = this.#isReplica ? this.#revision : this.#log.floor;
    if (revision > later.revision || revision < keptFrom) {
      later.release();
      throw revisionNotKept(revision, keptFrom, later.revision);
    }
    for (let at = later.revision; at > revision; at--) {
      const kept = this.#log.at(at);
      if (kept === undefined) {
        later.release();
        throw revisionNotKept(revision, this.#log.floor, this.#revision);
      }
      for (const one of kept.replaced) replaced.set(one);
      if (turns.spent) await turns.yield();
    }
    return new PastSnapshot(later, revision, replaced);
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}

const EMPTY_LOG: LogHead = { revision: 0, id: "", at: "", log: "" };
const NO_WRITES: EntryWrites = { put: [], delete: [] };

/** Partitions that have records. */
function partitionsOf(tree: Tree): readonly string[] {
  const found: string[] = [];
  for (let next = tree.minKey(); next !== undefined; ) {
    const partition = next.slice(0, next.indexOf("\0"));
    found.push(partition);
    next = tree.nextHigherKey(`${partition}\u0001`);
  }
  return found;
}

class TreeSnapshot implements Snapshot {
  #tree: Tree | undefined;
  readonly revision: number;
  readonly base: string;
  readonly #assertOpen: () => void;

  constructor(tree: Tree, revision: number, base: string, assertOpen: () => void) {
    this.base = base;
    this.#tree = tree;
    this.revision = revision;
    this.#assertOpen = assertOpen;
  }

  async get(partition: string, key: string): Promise<StoredRecord | undefined> {
    checkPartition(partition);
    return this.#read().get(pathOf(partition, key));
  }

  async getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    checkPartition(partition);
    const tree = this.#read();
    return keys.map((key) => tree.get(pathOf(partition, key)));
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
  const first = pathOf(partition, prefix);
  const previous = after === undefined ? undefined : pathOf(partition, after);
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
