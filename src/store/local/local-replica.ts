/**
 * A node's copy of a log in LMDB (spec/journal §1). Each whole state that is loaded is a database of its own in a folder
 * below that of the copy, so that it is there whole or not at all, and who reads the one before goes on. Nothing is
 * flushed to the disk but at a clean end: the copy keeps the machine's boot id, and is made anew after another boot
 * without a clean end.
 */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { committedChange, wholeStateChange } from "../committed-change.ts";
import { isOfState } from "../expectation.ts";
import { Listeners } from "../listeners.ts";
import type {
  Commit,
  CommitListener,
  CommittedChange,
  EntryWrites,
  History,
  LogHead,
  Snapshot,
  VersionedRecord,
} from "../port.ts";
import { RecentWrites } from "../recent-writes.ts";
import { revisionNotKept, storeClosed } from "../refusals.ts";
import type {
  EntryId,
  EntryName,
  FormerState,
  KeptContact,
  NotedContact,
  Replica,
  ReplicaPosition,
  StateBeside,
  StateName,
} from "../replica.ts";
import { newCopyFolder, writeContactFile, writeStateFile } from "./copy-file.ts";
import { recordKey } from "./layout.ts";
import { isReplaced, markReplaced, removeOldReplaced } from "./replaced-copies.ts";
import { openCopy, type ReplicaCopy } from "./replica-copy.ts";
import { readNotedId } from "./replica-entries.ts";
import { LocalSnapshot } from "./snapshot.ts";

/** The parts of a {@link LocalReplica}. */
interface LocalReplicaParts {
  readonly path: string;
  readonly bootId: string;
  readonly machineId: string;
  readonly copy: ReplicaCopy;
  readonly contact: KeptContact | undefined;
  /** Runs once, after everything is closed. */
  readonly finish: () => void;
}

/** The open copy. */
export class LocalReplica implements Replica {
  readonly #parts: LocalReplicaParts;
  readonly #snapshots = new Map<LocalSnapshot, ReplicaCopy>();
  readonly #listeners = new Listeners<CommittedChange>();
  readonly #recent: RecentWrites;
  /** Copies that were replaced as the log went back. */
  readonly #kept = new Set<ReplicaCopy>();
  /** Those of them that are still read. */
  readonly #former = new Set<ReplicaCopy>();
  #copy: ReplicaCopy;
  /** Entries after this revision were applied here, and nobody wanted them forgotten. */
  #changesAfter: number;
  #underWay: Promise<unknown> = Promise.resolve();
  #largeWrites = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: LocalReplicaParts) {
    this.#parts = parts;
    this.#copy = parts.copy;
    this.#recent = new RecentWrites(parts.copy.position.revision, parts.copy.base);
    this.#changesAfter = parts.copy.position.revision;
    this.#putState(false);
  }

  readonly history: History = this.#historyOf();

  get folder(): string {
    return this.#parts.path;
  }

  get logId(): string {
    return this.history.head.log.slice(0, 8);
  }

  position(): ReplicaPosition {
    return { ...this.#copy.position, recent: this.#copy.recentIds() };
  }

  keptContact(): KeptContact | undefined {
    return this.#parts.contact;
  }

  noteContact(moment: Pick<NotedContact, "wall" | "monotonic">): void {
    const { path, bootId: boot, machineId: machine } = this.#parts;
    writeContactFile(path, { boot, machine, ...moment });
  }

  async snapshot(): Promise<Snapshot> {
    return this.#snapshot();
  }

  #snapshot(): LocalSnapshot {
    this.#assertOpen();
    const copy = this.#copy;
    const replica = this;
    const snapshot = new LocalSnapshot(copy.database, {
      base: copy.base,
      committed: copy.position.revision,
      get isWriting() {
        return replica.#largeWrites > 0;
      },
      assertOpen: () => this.#assertOpen(),
      released: (it) => this.#released(it),
    });
    this.#snapshots.set(snapshot, copy);
    return snapshot;
  }

  commit(): Promise<number> {
    return Promise.reject(new Error("a copy takes entries of its log, and no commits"));
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    this.#assertOpen();
    if (after < this.#changesAfter) return undefined;
    if (after >= this.#copy.position.revision) return [];
    return this.#copy.changes(after, limit);
  }

  subscribe(listener: CommitListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  async health(): Promise<void> {
    this.#assertOpen();
  }

  holds({ reads, expect = [] }: Commit): boolean {
    if (reads !== undefined && this.#recent.touches(reads)) return false;
    if (expect.length === 0) return true;
    const { database, base } = this.#copy;
    // The library keeps a read transaction for some time: this has to be the newest state.
    database.resetReadTxn();
    return expect.every(
      (one) =>
        isOfState(one, base) && database.get(recordKey(one.partition, one.key))?.version === one.version,
    );
  }

  async applyEntry(entry: EntryName, writes: EntryWrites): Promise<void> {
    this.#assertOpen();
    const isLarge = writes.put.length + writes.delete.length > SMALL_ENTRY;
    if (isLarge) this.#largeWrites += 1;
    try {
      await this.#track(this.#copy.apply(entry, writes));
    } finally {
      if (isLarge) this.#largeWrites -= 1;
    }
    this.#recent.add(entry.revision, writes.put, writes.delete);
    this.#listeners.notify(committedChange(entry, writes));
  }

  async replaceState(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent: readonly EntryId[] = [],
  ): Promise<void> {
    const beside = await this.#beside();
    try {
      await beside.fill(last, records, recent);
    } catch (error) {
      await beside.discard();
      throw error;
    }
    await this.#discardUnused(this.#replaceBy(beside.copy));
    this.#listeners.notify(wholeStateChange(last));
  }

  async beside(): Promise<StateBeside> {
    const { fill, apply, discard, copy } = await this.#beside();
    return { fill, apply, discard, take: async () => this.#take(copy) };
  }

  async #beside() {
    this.#assertOpen();
    const copy = await openCopy(newCopyFolder(this.#parts.path));
    return {
      copy,
      fill: (...what: Parameters<ReplicaCopy["fill"]>) => this.#track(copy.fill(...what)),
      apply: (...what: Parameters<ReplicaCopy["applyInPieces"]>) => this.#track(copy.applyInPieces(...what)),
      discard: () => copy.discard(),
    };
  }

  /** The copy before stays unless it is empty: what the log lost is in it alone. */
  #take(copy: ReplicaCopy): FormerState {
    this.#assertOpen();
    const before = this.#copy;
    if (before.position.revision > 0) {
      markReplaced(before.folder);
      this.#kept.add(before);
    }
    this.#former.add(before);
    this.#replaceBy(copy);
    this.#listeners.notify(wholeStateChange({ ...copy.position, node: "" }));
    return {
      folder: before.folder,
      changes: (after, limit) => before.changes(after, limit),
      pages: () => before.pages(() => undefined),
      release: async () => {
        this.#former.delete(before);
        await this.#discardUnused(before);
      },
    };
  }

  /** Puts a copy in the place of the one that counts, which is returned. */
  #replaceBy(copy: ReplicaCopy): ReplicaCopy {
    const before = this.#copy;
    this.#copy = copy;
    this.#putState(false);
    before.leave();
    this.#recent.restart(copy.position.revision, copy.base);
    this.#changesAfter = copy.position.revision;
    return before;
  }

  state(): { readonly revision: number; readonly pages: AsyncIterable<readonly VersionedRecord[]> } {
    const { revision } = this.#copy.position;
    if (revision === 0) return { revision, pages: nothing() };
    const snapshot = this.#snapshot();
    return { revision, pages: this.#copy.pages(() => snapshot.release()) };
  }

  clearReaders(): void {
    this.#assertOpen();
    this.#copy.clearReaders();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Removes every copy but one and the newest that were replaced. */
  keepOnly(folder: string): void {
    for (const name of readdirSync(this.#parts.path)) {
      const other = join(this.#parts.path, name);
      if (!name.startsWith("copy-") || other === folder || isReplaced(other)) continue;
      rmSync(other, { recursive: true, force: true });
    }
    removeOldReplaced(this.#parts.path);
  }

  async #close(): Promise<void> {
    await this.#underWay;
    const copies = new Set([this.#copy, ...this.#snapshots.values(), ...this.#former]);
    for (const snapshot of this.#snapshots.keys()) snapshot.release();
    for (const copy of copies) if (copy !== this.#copy) await this.#end(copy);
    await this.#copy.close();
    this.#putState(true);
    this.#parts.finish();
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay = work.catch(() => undefined);
    return work;
  }

  #released(snapshot: LocalSnapshot): void {
    const copy = this.#snapshots.get(snapshot);
    this.#snapshots.delete(snapshot);
    if (copy !== undefined && copy !== this.#copy) void this.#discardUnused(copy);
  }

  async #discardUnused(copy: ReplicaCopy): Promise<void> {
    if (this.#closing !== undefined || this.#isRead(copy)) return;
    await this.#end(copy);
  }

  #isRead(copy: ReplicaCopy): boolean {
    return this.#former.has(copy) || [...this.#snapshots.values()].includes(copy);
  }

  /** Closes a copy that another one has replaced, and removes it unless it is kept. */
  async #end(copy: ReplicaCopy): Promise<void> {
    if (!this.#kept.has(copy)) return copy.discard();
    await copy.close();
    removeOldReplaced(this.#parts.path);
  }

  #putState(clean: boolean): void {
    const { path, bootId } = this.#parts;
    const copy = this.#copy.folder.slice(path.length + 1);
    writeStateFile(path, { copy, boot: bootId, clean });
  }

  #historyOf(): History {
    const replica = this;
    return {
      get head(): LogHead {
        const { revision, id, at, log } = replica.#copy.position;
        return { revision, id, at, log };
      },
      keptFrom: async () => this.#copy.position.revision,
      idOf: async (revision) => {
        this.#assertOpen();
        const { database, position } = this.#copy;
        return revision === position.revision ? position.id : readNotedId(database, revision);
      },
      writes: async () => undefined,
      writeOf: async () => undefined,
      snapshotAt: async (revision) => this.#newestAt(revision),
      recordAt: async (revision, { partition, key }) => {
        const latest = this.#newestAt(revision);
        return latest.get(partition, key).finally(() => latest.release());
      },
      records: (revision) => {
        const newest = this.#copy.position.revision;
        if (revision === newest) return this.state().pages;
        throw revisionNotKept(revision, newest, newest);
      },
      about: async () => [],
      forgetPast: async () => {
        this.#changesAfter = this.#copy.position.revision;
      },
    };
  }

  /** The newest state, which is the only one that a replica has. */
  #newestAt(revision: number): Snapshot {
    const latest = this.#snapshot();
    if (latest.revision === revision) return latest;
    latest.release();
    throw revisionNotKept(revision, latest.revision, latest.revision);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }
}

/** Writes of an entry during which no other work runs. */
const SMALL_ENTRY = 200;

async function* nothing(): AsyncGenerator<never> {}
