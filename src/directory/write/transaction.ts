/**
 * Writes as transactions: what a use case reads is remembered as an expectation of its commit, so that it commits
 * only if nothing it relied on has changed meanwhile; a lost race is tried again from a new snapshot.
 */

import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerError, isErrorCode } from "../../errors.ts";
import {
  type Commit,
  MAX_COMMIT_OPERATIONS,
  type Snapshot,
  type Store,
  type StoredRecord,
} from "../../store/port.ts";
import type { PolicyCache } from "../read/policy-cache.ts";
import type { Found } from "../read/reader.ts";
import { ResolvedSnapshot } from "../read/resolved-snapshot.ts";
import type { Partition, PolicyRecord, RecordTypes } from "../records/layout.ts";
import { ChangeCollector, type ChangeNotifier } from "./changes.ts";
import type { LargeCommits, PendingWrite } from "./large-commits.ts";
import type { WriteGate } from "./write-gate.ts";

const MAX_ATTEMPTS = 12;
const MAX_BACKOFF_MS = 20;

interface Slot {
  /** What the snapshot has; undefined until read, null where absent. */
  base: StoredRecord | null | undefined;
  /** Parsed form of what is there now, in this transaction. */
  record: RecordTypes[Partition] | undefined;
  written: boolean;
}

/** Reads and writes of one use case or of a whole batch; nothing is stored before the commit. */
export class Transaction {
  readonly changes = new ChangeCollector();
  readonly #snapshot: Snapshot;
  readonly #policies: PolicyCache;
  /** By partition, then key: a data set has some 100,000, and a joined key for each would weigh as much again. */
  readonly #slots = new Map<Partition, Map<string, Slot>>();

  constructor(snapshot: Snapshot, policies: PolicyCache) {
    this.#snapshot = snapshot;
    this.#policies = policies;
  }

  /** The record under a key as this transaction sees it. */
  async get<P extends Partition>(partition: P, key: string): Promise<RecordTypes[P] | undefined> {
    const slot = this.#slot(partition, key);
    if (slot.base === undefined && !slot.written) {
      slot.base = (await this.#snapshot.get(partition, key)) ?? null;
      slot.record = slot.base === null ? undefined : this.#decode(partition, key, slot.base);
    }
    return slot.record as RecordTypes[P] | undefined;
  }

  /** Creates or replaces a record. */
  put<P extends Partition>(partition: P, key: string, record: RecordTypes[P]): void {
    const slot = this.#slot(partition, key);
    slot.record = record;
    slot.written = true;
  }

  /** Removes a record; an absent one is no error. */
  delete(partition: Partition, key: string): void {
    const slot = this.#slot(partition, key);
    slot.record = undefined;
    slot.written = true;
  }

  /** As one commit, with an expectation for everything that was read. */
  toCommit(): Commit | undefined {
    const expect: { partition: string; key: string; version: string | undefined }[] = [];
    for (const [partition, slots] of this.#slots) {
      for (const [key, { base }] of slots) {
        if (base !== undefined) expect.push({ partition, key, version: base?.version });
      }
    }
    const writes = [...this.pendingWrites()];
    if (writes.length === 0) return undefined;
    return {
      expect,
      put: writes.flatMap(({ partition, key, next }) =>
        next === undefined ? [] : [{ partition, key, value: next }],
      ),
      delete: writes.flatMap(({ partition, key, next }) => (next === undefined ? [{ partition, key }] : [])),
    };
  }

  /**
   * Records below a prefix, as the snapshot has them: what this transaction wrote is not among them, and they are no
   * expectation of its commit.
   */
  async scan<P extends Partition>(partition: P, prefix: string, limit: number): Promise<readonly Found<P>[]> {
    const found = await this.#snapshot.scan(partition, { prefix, limit });
    return found.map((stored) => ({
      key: stored.key,
      record: this.#decode(partition, stored.key, stored) as RecordTypes[P],
    }));
  }

  /** As {@link pendingWrites}, forgetting each key: of a large batch not everything is in memory twice. */
  *drainWrites(): Generator<PendingWrite> {
    for (const write of this.pendingWrites()) {
      this.#slots.get(write.partition as Partition)?.delete(write.key);
      yield write;
    }
  }

  /** True when the store takes everything as one commit. */
  fitsOneCommit(): boolean {
    const { expect = [], put = [], delete: deleted = [] } = this.toCommit() ?? {};
    return expect.length + put.length + deleted.length <= MAX_COMMIT_OPERATIONS;
  }

  /** Forgets everything read and written. */
  abandon(): undefined {
    this.#slots.clear();
    this.changes.clear();
  }

  /** How many keys were written, also those whose text stays the same. */
  countWrites(): number {
    let count = 0;
    for (const slots of this.#slots.values()) {
      for (const slot of slots.values()) if (slot.written) count += 1;
    }
    return count;
  }

  /** The keys whose stored text changes. */
  *pendingWrites(): Generator<PendingWrite> {
    for (const [partition, slots] of this.#slots) {
      for (const [key, { base, record, written }] of slots) {
        if (!written) continue;
        const next = record === undefined ? undefined : JSON.stringify(record);
        const known = base !== undefined;
        if (known && base?.value === next) continue;
        yield { partition, key, old: base?.value, known, next };
      }
    }
  }

  #slot(partition: Partition, key: string): Slot {
    let slots = this.#slots.get(partition);
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(partition, slots);
    }
    let slot = slots.get(key);
    if (slot === undefined) {
      slot = { base: undefined, record: undefined, written: false };
      slots.set(key, slot);
    }
    return slot;
  }

  #decode(partition: Partition, key: string, stored: StoredRecord): RecordTypes[Partition] {
    if (partition === "policy") return this.#policies.decode(key, stored) satisfies PolicyRecord;
    return JSON.parse(stored.value) as RecordTypes[Partition];
  }
}

/** What writers share. */
export interface WriterParts {
  readonly store: Store;
  readonly policies: PolicyCache;
  readonly gate: WriteGate;
  readonly largeCommits: LargeCommits;
  readonly notifier: ChangeNotifier;
}

/** Runs transactions. */
export class Writer {
  readonly #parts: WriterParts;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Runs `work` on a new snapshot and commits what it wrote; after a lost race again, a bounded number of times, then
   * throws "conflict". Listeners hear of the change before the promise resolves.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.besideBatches(() => this.#writeNow(work));
  }

  /** Runs writing work while no batch is under way or left unfinished. */
  async besideBatches<T>(work: () => Promise<T>): Promise<T> {
    const { gate, largeCommits } = this.#parts;
    for (;;) {
      if (largeCommits.interrupted) await gate.exclusive(() => this.#recover());
      const done = await gate.shared(async () =>
        // A batch that was waited for may have failed: its intents must be settled first.
        largeCommits.interrupted ? undefined : { result: await work() },
      );
      if (done !== undefined) return done.result;
    }
  }

  /** Runs `work` alone and applies what it wrote as one batch of any size, all or nothing as seen by readers. */
  async writeBatch<T>(
    work: (tx: Transaction) => Promise<T>,
    onProgress: (done: number, total: number) => void,
  ): Promise<T> {
    const { gate, largeCommits, notifier } = this.#parts;
    return gate.exclusive(async () => {
      await this.#recover();
      const { tx, result } = await this.#run(work);
      await largeCommits.apply(tx.drainWrites(), tx.countWrites(), {
        onProgress,
        onCommitted: () => {
          const change = tx.changes.toChange();
          if (change !== undefined) notifier.notify(change);
        },
      });
      return result;
    });
  }

  /**
   * As {@link write} where the work fits one commit; else as {@link writeBatch}, where only writers of this process are
   * kept away.
   */
  async writeOfAnySize<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const whole = await this.write(async (tx) => {
      const result = await work(tx);
      return tx.fitsOneCommit() ? { result } : tx.abandon();
    });
    return whole === undefined ? this.writeBatch(work, () => {}) : whole.result;
  }

  /** Finishes or undoes a batch that a failing store interrupted in this process. */
  async #recover(): Promise<void> {
    const { largeCommits, notifier } = this.#parts;
    if (!largeCommits.interrupted) return;
    await largeCommits.recover();
    notifier.notify({ all: true });
  }

  async #writeNow<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { tx, result } = await this.#run(work);
      if (await this.#commit(tx)) return result;
      await delay(Math.random() * Math.min(MAX_BACKOFF_MS, attempt * 2));
    }
    throw new AuthorizerError("conflict", "others kept changing the same records; try again");
  }

  async #run<T>(work: (tx: Transaction) => Promise<T>): Promise<{ tx: Transaction; result: T }> {
    const snapshot = new ResolvedSnapshot(await this.#parts.store.snapshot());
    try {
      const tx = new Transaction(snapshot, this.#parts.policies);
      return { tx, result: await work(tx) };
    } finally {
      snapshot.release();
    }
  }

  async #commit(tx: Transaction): Promise<boolean> {
    const commit = tx.toCommit();
    if (commit === undefined) return true;
    try {
      await this.#parts.store.commit(commit);
    } catch (error) {
      if (isErrorCode(error, "conflict")) return false;
      throw error;
    }
    const change = tx.changes.toChange();
    if (change !== undefined) this.#parts.notifier.notify(change);
    return true;
  }
}
