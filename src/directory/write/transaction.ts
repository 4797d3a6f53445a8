/**
 * Writes as transactions (spec/journal §2): a use case runs on one snapshot, and commits only if nothing that it read,
 * also by scan, has changed meanwhile; after a lost race it runs again on the newest state.
 */

import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerError, isErrorCode, tellsOfState } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { Turns } from "../../schedule/turns.ts";
import {
  type Commit,
  isCheck,
  type ReadSet,
  type RecordName,
  type RecordPut,
  type ScannedRange,
  type ScanOptions,
  type Snapshot,
  type Store,
  type StoredRecord,
  withSnapshot,
} from "../../store/port.ts";
import type { Authors } from "../author.ts";
import { mapInTurns, scanInParts } from "../read/in-parts.ts";
import type { PolicyCache } from "../read/policy-cache.ts";
import { type Found, pagesOf, type StateReader } from "../read/reader.ts";
import type { Partition, PolicyRecord, RecordTypes } from "../records/layout.ts";
import { ChangeCollector } from "./changes.ts";

/** Default of {@link WriterParts.deadlineMs}. */
const DEADLINE_MS = 5_000;
/** Lost races after which the others of this process hold back. */
const LOST_BEFORE_TURN = 3;
const TURN_MS = 5_000;
const MAX_BACKOFF_MS = 20;

interface Slot {
  /** The record in the snapshot; undefined until read, null if absent. */
  base: StoredRecord | null | undefined;
  /** Parsed form of what is there now, in this transaction. */
  record: RecordTypes[Partition] | undefined;
  written: boolean;
}

/** Reads and writes of one use case or of a whole batch; nothing is stored before the commit. */
export class Transaction implements StateReader {
  readonly changes = new ChangeCollector();
  readonly #snapshot: Snapshot;
  readonly #policies: PolicyCache;
  /** By partition, then key: a data set has some 100,000, and a joined key for each would weigh as much again. */
  readonly #slots = new Map<Partition, Map<string, Slot>>();
  readonly #ranges: ScannedRange[] = [];

  constructor(snapshot: Snapshot, policies: PolicyCache) {
    this.#snapshot = snapshot;
    this.#policies = policies;
  }

  /** Revision of the state that it runs on. */
  get revision(): number {
    return this.#snapshot.revision;
  }

  get base(): string | undefined {
    return this.#snapshot.base;
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

  /** The records under keys, in the order given. */
  async getMany<P extends Partition>(
    partition: P,
    keys: readonly string[],
  ): Promise<readonly (RecordTypes[P] | undefined)[]> {
    const turns = new Turns();
    const records: (RecordTypes[P] | undefined)[] = [];
    for (const key of keys) {
      records.push(await this.get(partition, key));
      if (turns.spent) await turns.yield();
    }
    return records;
  }

  /** The revision that wrote a record of the state; 0 where there is none. */
  async versionOf(partition: Partition, key: string): Promise<number> {
    await this.get(partition, key);
    return Number(this.#slot(partition, key).base?.version ?? 0);
  }

  /** Keys of a partition that this transaction wrote, also by deleting. */
  written(partition: Partition): readonly string[] {
    const slots = this.#slots.get(partition) ?? new Map<string, Slot>();
    return [...slots].flatMap(([key, { written }]) => (written ? [key] : []));
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

  /** Records below a prefix, as the snapshot has them: what this transaction wrote is not among them. */
  async scan<P extends Partition>(
    partition: P,
    { prefix = "", after, limit }: ScanOptions,
  ): Promise<readonly Found<P>[]> {
    const found = await scanInParts(this.#snapshot, partition, {
      prefix,
      limit,
      ...(after !== undefined && { after }),
    });
    const upTo = found.length < limit ? undefined : found.at(-1)!.key;
    this.#ranges.push({ partition, prefix, after, upTo });
    return mapInTurns(found, (stored) => ({
      key: stored.key,
      record: this.#decode(partition, stored.key, stored) as RecordTypes[P],
    }));
  }

  /** Every record of a partition, page by page, as {@link scan} reads them. */
  scanAll<P extends Partition>(partition: P, prefix = ""): AsyncGenerator<readonly Found<P>[]> {
    return pagesOf((range) => this.scan(partition, range), prefix);
  }

  /**
   * The writes as one commit that fails if something that was read has changed; undefined if nothing changes. Lets
   * other work run while it writes a large one.
   */
  async toCommit(): Promise<Commit | undefined> {
    const turns = new Turns();
    const put: RecordPut[] = [];
    const deleted: RecordName[] = [];
    for (const { partition, key, next } of this.#pendingWrites()) {
      if (next === undefined) deleted.push({ partition, key });
      else put.push({ partition, key, value: next });
      if (turns.spent) await turns.yield();
    }
    if (put.length === 0 && deleted.length === 0) return undefined;
    const change = this.changes.toChange();
    const touched = this.changes.toTouched();
    return {
      ...this.toCheck(),
      put,
      delete: deleted,
      ...(change !== undefined && { change }),
      ...(touched !== undefined && { touched }),
    };
  }

  /** The commit that changes nothing, and fails if something that was read has changed. */
  toCheck(): { readonly reads: ReadSet } {
    const { revision, base } = this.#snapshot;
    return { reads: { revision, base, keys: this.#slots, ranges: this.#ranges } };
  }

  /** True if nothing of the state was read. */
  get hasReadNothing(): boolean {
    return this.#slots.size === 0 && this.#ranges.length === 0;
  }

  /** The keys whose stored text changes. */
  *#pendingWrites(): Generator<PendingWrite> {
    for (const [partition, slots] of this.#slots) {
      for (const [key, { base, record, written }] of slots) {
        if (!written) continue;
        const next = record === undefined ? undefined : JSON.stringify(record);
        if (base !== undefined && base?.value === next) continue;
        yield { partition, key, next };
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
    return parseJsonText(stored.value) as RecordTypes[Partition];
  }
}

/** A key that a transaction leaves changed. */
interface PendingWrite extends RecordName {
  /** Text to store, or undefined to delete. */
  readonly next: string | undefined;
}

/** State that writers share. */
interface WriterParts {
  readonly store: Store;
  readonly policies: PolicyCache;
  readonly authors: Authors;
  /** Throws where the author of a write may not make it in the state of the transaction. */
  readonly judge: (tx: Transaction) => Promise<void>;
  /** Adds what each commit has to bring along. */
  readonly complete: (tx: Transaction) => Promise<void>;
  /** Time for which a use case is repeated after lost races, in milliseconds; default 5 s. */
  readonly deadlineMs?: number | undefined;
}

/** The course of a use case over its attempts. */
interface Course {
  /** True once what it answers without a commit rests on proof (spec/journal §2.8). */
  isProven: boolean;
}

/** Runs transactions. */
export class Writer {
  readonly #parts: WriterParts;
  /** Set while a use case that lost often commits: others wait, for {@link TURN_MS} at most. */
  #turn: Promise<void> | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Runs `work` on a new snapshot and commits what it wrote. After a lost race it runs again, each time on the newest
   * state, until `deadlineMs` have passed since the first loss; then throws "conflict". Those who subscribed to the
   * store hear of the change before the promise resolves.
   */
  async write<T>(
    work: (tx: Transaction) => Promise<T>,
    deadlineMs = this.#parts.deadlineMs ?? DEADLINE_MS,
  ): Promise<T> {
    let end = Number.POSITIVE_INFINITY;
    const course = { isProven: this.#parts.store.prove === undefined };
    for (let lost = 0; ; lost++) {
      if (lost >= LOST_BEFORE_TURN) return this.#inTurn(work, end, course);
      await this.#turn;
      const done = await this.#attempt(work, course);
      if (done !== undefined) return done.result;
      if (lost === 0) end = performance.now() + deadlineMs;
      await this.#backOff(end);
    }
  }

  /** Runs `work` on a new snapshot and forgets what it wrote. */
  async rehearse<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { store, policies } = this.#parts;
    return withSnapshot(store, (snapshot) => work(new Transaction(snapshot, policies)));
  }

  /** Runs use cases that lost races one after the other, while the others of this process hold back. */
  async #inTurn<T>(work: (tx: Transaction) => Promise<T>, end: number, course: Course): Promise<T> {
    while (this.#turn !== undefined) await this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = promise.then(() => {
      if (this.#turn === turn) this.#turn = undefined;
    });
    this.#turn = turn;
    const timer = setTimeout(resolve, TURN_MS);
    try {
      await this.#parts.store.takeTurn?.();
      for (;;) {
        const done = await this.#attempt(work, course);
        if (done !== undefined) return done.result;
        await this.#backOff(end);
      }
    } finally {
      clearTimeout(timer);
      resolve();
    }
  }

  async #backOff(end: number): Promise<void> {
    if (performance.now() > end) {
      throw new AuthorizerError("conflict", "others kept changing the same records; try again");
    }
    await delay(Math.random() * MAX_BACKOFF_MS);
  }

  /**
   * Undefined if something that `work` read was changed meanwhile. What it answers without a commit, also what it throws, is
   * checked against the newest state as a commit is; an attempt after a check that failed runs on that state or a later one.
   */
  async #attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    course: Course,
  ): Promise<{ readonly result: T } | undefined> {
    const { store, policies, authors, judge, complete } = this.#parts;
    const { answer, commit } = await withSnapshot(store, async (snapshot) => {
      const tx = new Transaction(snapshot, policies);
      try {
        await judge(tx);
        const result = await work(tx);
        await complete(tx);
        return { answer: () => ({ result }), commit: (await tx.toCommit()) ?? tx.toCheck() };
      } catch (error) {
        if (tx.hasReadNothing || !tellsOfState(error)) throw error;
        return { answer: () => raise(error), commit: tx.toCheck() };
      }
    });
    if (isCheck(commit) && course.isProven) return answer();
    try {
      const actor = authors.name;
      await store.commit({ ...commit, ...(actor !== undefined && { actor }) });
    } catch (error) {
      if (!isErrorCode(error, "conflict")) throw error;
      course.isProven ||= isCheck(commit);
      return undefined;
    }
    return answer();
  }
}

function raise(error: unknown): never {
  throw error;
}
