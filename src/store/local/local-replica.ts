/**
 * A node's copy of a log in LMDB (journal.md §1). Each whole state that is loaded is a database of its own in a folder
 * below that of the copy, so that it is there whole or not at all, and who reads the one before goes on. Nothing is
 * flushed to the disk but at a clean end: the copy keeps the machine's boot id, and is made anew after another boot
 * without a clean end.
 */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "../../errors.ts";
import { makeFolder } from "../../make-folder.ts";
import { committedChange, wholeStateChange } from "../committed-change.ts";
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
import type { EntryId, EntryName, Replica, ReplicaPosition, StateName } from "../replica.ts";
import type { StoreLog } from "../store-log.ts";
import { lockFolder } from "./folder-lock.ts";
import { recordKey } from "./layout.ts";
import { openCopy, type ReplicaCopy } from "./replica-copy.ts";
import { readNotedId } from "./replica-entries.ts";
import { LocalSnapshot } from "./snapshot.ts";

/** Options of {@link openLocalReplica}. */
export interface LocalReplicaOptions {
  /** The copy's own folder; created (mode 700) where missing, and kept at the end. */
  readonly path: string;
  readonly log?: StoreLog;
  /** Id of the machine's run; undefined where it is not known. Default Linux's. */
  readonly bootId?: string | undefined;
}

/** Names of the file that says which copy counts, and how it was left. */
export const STATE_FILE = "copy.json";
const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";
/** The content of that file. */
export interface StateFile {
  /** Folder of the copy that counts. */
  readonly copy: string;
  /** Id of the machine's run in which it was opened; "" where it is not known. */
  readonly boot: string;
  /** Whether it was closed, and its pages flushed. */
  readonly clean: boolean;
}

/**
 * Opens the copy in a folder; an empty one where there is none, or none that can be used.
 * @throws AuthorizerError "unavailable" when another process uses the folder, or it cannot be written
 */
export async function openLocalReplica(options: LocalReplicaOptions): Promise<Replica> {
  const { path, log } = options;
  const bootId = "bootId" in options ? options.bootId : readBootId();
  makeReplicaFolder(path);
  const lock = lockFolder(path);
  try {
    const found = await reopen(path, bootId, log);
    const copy = found ?? (await openCopy(newCopyFolder(path)));
    const replica = new LocalReplica({ path, bootId: bootId ?? "", copy, finish: () => lock.release() });
    replica.keepOnly(copy.folder);
    return replica;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function makeReplicaFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The folder ${path} (authorizer.replication.path) cannot be created: ${reason}`;
    throw new AuthorizerError("unavailable", message, { cause });
  }
}

/** Returns the copy that was left; undefined where it cannot be trusted. */
async function reopen(
  path: string,
  bootId: string | undefined,
  log: StoreLog | undefined,
): Promise<ReplicaCopy | undefined> {
  const file = join(path, STATE_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const state = JSON.parse(readFileSync(file, "utf8")) as StateFile;
    if (!state.clean && (bootId === undefined || state.boot !== bootId)) {
      log?.info({ path }, "the copy was not closed before the machine went down: it is made anew");
      return undefined;
    }
    return await openCopy(join(path, state.copy));
  } catch (err) {
    log?.error({ err, path }, "the copy of the directory is damaged: it is made anew");
    return undefined;
  }
}

function readBootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID_FILE, "utf8").trim();
  } catch {
    return undefined;
  }
}

let copies = 0;

function newCopyFolder(path: string): string {
  return join(path, `copy-${process.pid}-${Date.now().toString(36)}-${copies++}`);
}

interface LocalReplicaParts {
  readonly path: string;
  readonly bootId: string;
  readonly copy: ReplicaCopy;
  /** Runs once, after everything is closed. */
  readonly finish: () => void;
}

class LocalReplica implements Replica {
  readonly #parts: LocalReplicaParts;
  readonly #snapshots = new Map<LocalSnapshot, ReplicaCopy>();
  readonly #listeners = new Listeners<CommittedChange>();
  readonly #recent: RecentWrites;
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

  async snapshot(): Promise<Snapshot> {
    return this.#snapshot();
  }

  #snapshot(): LocalSnapshot {
    this.#assertOpen();
    const copy = this.#copy;
    const replica = this;
    const snapshot = new LocalSnapshot(copy.database, {
      base: copy.base,
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
    const { database } = this.#copy;
    // The library keeps a read transaction for some time: this has to be the newest state.
    database.resetReadTxn();
    return expect.every(
      ({ partition, key, version }) => database.get(recordKey(partition, key))?.version === version,
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
    this.#assertOpen();
    const next = await openCopy(newCopyFolder(this.#parts.path));
    try {
      await this.#track(next.fill(last, records, recent));
    } catch (error) {
      await next.discard();
      throw error;
    }
    const before = this.#copy;
    this.#copy = next;
    this.#putState(false);
    before.leave();
    this.#recent.restart(last.revision, next.base);
    this.#changesAfter = last.revision;
    await this.#discardUnused(before);
    this.#listeners.notify(wholeStateChange(last));
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

  /** Removes every copy but one. */
  keepOnly(folder: string): void {
    for (const name of readdirSync(this.#parts.path)) {
      const other = join(this.#parts.path, name);
      if (name.startsWith("copy-") && other !== folder) rmSync(other, { recursive: true, force: true });
    }
  }

  async #close(): Promise<void> {
    await this.#underWay;
    const copies = new Set([this.#copy, ...this.#snapshots.values()]);
    for (const snapshot of this.#snapshots.keys()) snapshot.release();
    for (const copy of copies) if (copy !== this.#copy) await copy.discard();
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
    if (this.#closing !== undefined || [...this.#snapshots.values()].includes(copy)) return;
    await copy.discard();
  }

  #putState(clean: boolean): void {
    const { path, bootId } = this.#parts;
    const copy = this.#copy.folder.slice(path.length + 1);
    const state: StateFile = { copy, boot: bootId, clean };
    const file = join(path, STATE_FILE);
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
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
