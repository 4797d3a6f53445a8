/** An earlier state, as a later one and what the entries between them replaced. */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { checkPartition, checkScan } from "./checks.ts";
import type { ScannedRecord, ScanOptions, Snapshot, StoredRecord, VersionedRecord } from "./port.ts";
import { snapshotReleased } from "./refusals.ts";

/** The record that a key had before an entry; undefined where it had none. */
export interface Replaced {
  readonly partition: string;
  readonly key: string;
  readonly before: StoredRecord | undefined;
}

/** Records by partition and key; undefined where there is none. */
export class ReplacedRecords {
  readonly #partitions = new Map<string, Map<string, StoredRecord | undefined>>();
  readonly #sorted = new Map<string, readonly string[]>();

  /** Notes what a key had; to be called from the newest entry back. */
  set({ partition, key, before }: Replaced): void {
    const keys = this.#partitions.get(partition);
    if (keys === undefined) this.#partitions.set(partition, new Map([[key, before]]));
    else keys.set(key, before);
    this.#sorted.delete(partition);
  }

  /** Partitions of the records. */
  get partitions(): Iterable<string> {
    return this.#partitions.keys();
  }

  /** The records of a partition. */
  of(partition: string): ReadonlyMap<string, StoredRecord | undefined> | undefined {
    return this.#partitions.get(partition);
  }

  /** Keys of a partition in UTF-8 byte order. */
  keysOf(partition: string): readonly string[] {
    let keys = this.#sorted.get(partition);
    if (keys === undefined) {
      keys = [...(this.#partitions.get(partition)?.keys() ?? [])].sort(compareUtf8);
      this.#sorted.set(partition, keys);
    }
    return keys;
  }
}

/** Records of a page. */
const PAGE = 500;

/** Reads an earlier state. Takes over the snapshot that it is given. */
export class PastSnapshot implements Snapshot {
  readonly revision: number;
  readonly #later: Snapshot;
  #replaced: ReplacedRecords | undefined;

  constructor(later: Snapshot, revision: number, replaced: ReplacedRecords) {
    this.#later = later;
    this.revision = revision;
    this.#replaced = replaced;
  }

  async get(partition: string, key: string): Promise<StoredRecord | undefined> {
    checkPartition(partition);
    const replaced = this.#read().of(partition);
    return replaced?.has(key) === true ? replaced.get(key) : this.#later.get(partition, key);
  }

  async getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(partition, key)));
  }

  async scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]> {
    const scan = checkScan(partition, options);
    const replaced = this.#read();
    if (scan === undefined) return [];
    const { prefix, after, limit } = scan;
    const records = replaced.of(partition) ?? new Map<string, StoredRecord | undefined>();
    const found: ScannedRecord[] = await this.#unchanged(partition, options, records);
    const keys = replaced.keysOf(partition);
    for (let index = firstAfter(keys, prefix, after); index < keys.length; index++) {
      const key = keys[index]!;
      if (!key.startsWith(prefix)) break;
      const record = records.get(key);
      if (record !== undefined) found.push({ key, ...record });
    }
    return found.sort((a, b) => compareUtf8(a.key, b.key)).slice(0, limit);
  }

  /**
   * Every record, in the order of partitions and keys.
   * @param partitions that have records in the later state
   */
  async *records(partitions: readonly string[]): AsyncGenerator<readonly VersionedRecord[]> {
    const all = new Set([...partitions, ...this.#read().partitions]);
    for (const partition of [...all].sort(compareUtf8)) {
      let after: string | undefined;
      for (;;) {
        const page = await this.scan(partition, { limit: PAGE, ...(after !== undefined && { after }) });
        yield page.map(({ key, value, version }) => ({ partition, key, value, version: Number(version) }));
        if (page.length < PAGE) break;
        after = page.at(-1)!.key;
      }
    }
  }

  release(): void {
    this.#replaced = undefined;
    this.#later.release();
  }

  /** The first records of a scan that are the same in the later state. */
  async #unchanged(
    partition: string,
    { limit, ...range }: ScanOptions,
    replaced: ReadonlyMap<string, unknown>,
  ): Promise<ScannedRecord[]> {
    const found: ScannedRecord[] = [];
    let after = range.after;
    for (;;) {
      const page = await this.#later.scan(partition, {
        ...range,
        limit,
        ...(after !== undefined && { after }),
      });
      for (const record of page) if (!replaced.has(record.key)) found.push(record);
      if (page.length < limit || found.length >= limit) return found;
      after = page.at(-1)!.key;
    }
  }

  #read(): ReplacedRecords {
    if (this.#replaced === undefined) throw snapshotReleased();
    return this.#replaced;
  }
}

/** Index of the first key of a range in sorted keys. */
function firstAfter(keys: readonly string[], prefix: string, after: string | undefined): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const key = keys[middle]!;
    const isBefore = compareUtf8(key, prefix) < 0 || (after !== undefined && compareUtf8(key, after) <= 0);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}
