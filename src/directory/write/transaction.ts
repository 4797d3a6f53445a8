/** Reads and writes of a use case on one snapshot (spec/journal §2). */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { Turns } from "../../schedule/turns.ts";
import type {
  Commit,
  ReadSet,
  RecordName,
  RecordPut,
  ScannedRange,
  ScanOptions,
  Snapshot,
  StoredRecord,
} from "../../store/port.ts";
import { mapInTurns, scanInParts } from "../read/in-parts.ts";
import type { PolicyCache } from "../read/policy-cache.ts";
import { type Found, pagesOf, Reader, type StateReader } from "../read/reader.ts";
import { type Partition, type PolicyRecord, type RecordTypes, under } from "../records/layout.ts";
import { ChangeCollector } from "./changes.ts";

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

  /** Reads whole partitions as the snapshot has them, any of them any number of times: all of them count as read. */
  readerOf(partitions: readonly Partition[]): Reader {
    for (const partition of partitions)
      this.#ranges.push({ partition, prefix: "", after: undefined, upTo: undefined });
    return new Reader(this.#snapshot, this.#policies);
  }

  /** Every record of a partition, page by page, as {@link scan} reads them. */
  scanAll<P extends Partition>(partition: P, prefix = ""): AsyncGenerator<readonly Found<P>[]> {
    return pagesOf((range) => this.scan(partition, range), prefix);
  }

  /** As a reader does, without what stands between them: a change of that is no reason to begin again. */
  async scanBelowEach<P extends Partition>(
    partition: P,
    ids: readonly string[],
  ): Promise<readonly (readonly Found<P>[])[]> {
    const lists: (readonly Found<P>[])[] = [];
    for (const id of ids) {
      const found: Found<P>[] = [];
      for await (const page of this.scanAll(partition, under(id, ""))) found.push(...page);
      lists.push(found);
    }
    return lists;
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
