/** An earlier state, as a later one and what the entries between them replaced. */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { type CheckedScan, checkPartition, checkScan } from "./checks.ts";
import type { ScannedRecord, ScanOptions, Snapshot, StoredRecord, VersionedRecord } from "./port.ts";
import { snapshotReleased } from "./refusals.ts";

/** Records of a page. */
const PAGE = 500;

/** The record that a key had before an entry; undefined where it had none. */
export interface Replaced {
  readonly partition: string;
  readonly key: string;
  readonly before: StoredRecord | undefined;
}

/** Records that were replaced since a state. */
export interface ReplacedState {
  /** Partitions of the records. */
  readonly partitions: Iterable<string>;
  /** The record that was replaced under a key, if one was. */
  get(partition: string, key: string): Pick<Replaced, "before"> | undefined;
  /** The records of a range, in UTF-8 byte order of their keys. */
  scan(partition: string, range: CheckedScan): readonly ReplacedRecord[];
  /** Frees them. */
  close?(): void;
}

/** A record in a range. */
export type ReplacedRecord = Pick<Replaced, "key" | "before">;

/** Replaced records in memory. */
export class ReplacedRecords implements ReplacedState {
  readonly #partitions = new Map<string, Map<string, StoredRecord | undefined>>();
  readonly #sorted = new Map<string, readonly string[]>();

  /** Notes what a key had; to be called from the newest entry back. */
  set({ partition, key, before }: Replaced): void {
    const keys = this.#partitions.get(partition);
    if (keys === undefined) this.#partitions.set(partition, new Map([[key, before]]));
    else keys.set(key, before);
    this.#sorted.delete(partition);
  }

  get partitions(): Iterable<string> {
    return this.#partitions.keys();
  }

  /** All of them, some at a time. */
  *pieces(): Generator<readonly Replaced[]> {
    for (const [partition, records] of this.#partitions) {
      let piece: Replaced[] = [];
      for (const [key, before] of records) {
        piece.push({ partition, key, before });
        if (piece.length < PAGE) continue;
        yield piece;
        piece = [];
      }
      yield piece;
    }
  }

  get(partition: string, key: string): Pick<Replaced, "before"> | undefined {
    const records = this.#partitions.get(partition);
    return records?.has(key) === true ? { before: records.get(key) } : undefined;
  }

  scan(partition: string, { prefix, after, limit }: CheckedScan): readonly ReplacedRecord[] {
    const keys = this.#keysOf(partition);
    const found: ReplacedRecord[] = [];
    for (let index = firstAfter(keys, prefix, after); index < keys.length && found.length < limit; index++) {
      const key = keys[index]!;
      if (!key.startsWith(prefix)) break;
      found.push({ key, before: this.#partitions.get(partition)?.get(key) });
    }
    return found;
  }

  #keysOf(partition: string): readonly string[] {
    let keys = this.#sorted.get(partition);
    if (keys === undefined) {
      keys = [...(this.#partitions.get(partition)?.keys() ?? [])].sort(compareUtf8);
      this.#sorted.set(partition, keys);
    }
    return keys;
  }
}

/** Reads an earlier state. Takes over the snapshot that it is given. */
export class PastSnapshot implements Snapshot {
  readonly revision: number;
  readonly #later: Snapshot;
  #replaced: ReplacedState | undefined;

  constructor(later: Snapshot, revision: number, replaced: ReplacedState) {
    this.#later = later;
    this.revision = revision;
    this.#replaced = replaced;
  }

  async get(partition: string, key: string): Promise<StoredRecord | undefined> {
    checkPartition(partition);
    const replaced = this.#read().get(partition, key);
    return replaced === undefined ? this.#later.get(partition, key) : replaced.before;
  }

  async getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(partition, key)));
  }

  async scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]> {
    const scan = checkScan(partition, options);
    const replaced = this.#read();
    if (scan === undefined) return [];
    const found: ScannedRecord[] = [];
    for (let range = scan; ; ) {
      const { after, ...rest } = range;
      const page = await this.#later.scan(partition, { ...rest, ...(after !== undefined && { after }) });
      const pageOfReplaced = replaced.scan(partition, range);
      // Both are known as far as the one that ends first.
      const end = firstOf(endOf(page, range.limit), endOf(pageOfReplaced, range.limit));
      const isKnown = ({ key }: { readonly key: string }) => end === undefined || compareUtf8(key, end) <= 0;
      const names = new Set(pageOfReplaced.map(({ key }) => key));
      const records = page.filter(({ key }) => !names.has(key));
      for (const { key, before } of pageOfReplaced)
        if (before !== undefined) records.push({ key, ...before });
      found.push(...records.filter(isKnown).sort((a, b) => compareUtf8(a.key, b.key)));
      if (end === undefined || found.length >= scan.limit) return found.slice(0, scan.limit);
      range = { ...range, after: end };
    }
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
    this.#replaced?.close?.();
    this.#replaced = undefined;
    this.#later.release();
  }

  #read(): ReplacedState {
    if (this.#replaced === undefined) throw snapshotReleased();
    return this.#replaced;
  }
}

/** The last key of a page; undefined for the last page. */
function endOf(page: readonly { readonly key: string }[], limit: number): string | undefined {
  return page.length < limit ? undefined : page.at(-1)!.key;
}

function firstOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareUtf8(a, b) <= 0 ? a : b;
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
