/** Typed reading of records from one state of the store. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import {
  type ScannedRecord,
  type ScanOptions,
  type Snapshot,
  type Store,
  type StoredRecord,
  withSnapshot,
} from "../../store/port.ts";
import type { Partition, PolicyRecord, RecordTypes } from "../records/layout.ts";
import { scanBelowEach } from "./below-each.ts";
import { getInParts, mapInTurns, scanInParts } from "./in-parts.ts";
import type { PolicyCache } from "./policy-cache.ts";

/** A record found by a scan, decoded. */
export interface Found<P extends Partition> {
  readonly key: string;
  readonly record: RecordTypes[P];
}

/** Reading of records of one state, from a snapshot or inside a transaction. */
export interface StateReader {
  /** Revision of the state. */
  readonly revision: number;
  /** See {@link Snapshot.base}. */
  readonly base: string | undefined;
  get<P extends Partition>(partition: P, key: string): Promise<RecordTypes[P] | undefined>;
  getMany<P extends Partition>(
    partition: P,
    keys: readonly string[],
  ): Promise<readonly (RecordTypes[P] | undefined)[]>;
  /** The revision that wrote a record; 0 where there is none. */
  versionOf(partition: Partition, key: string): Promise<number>;
  /** Every record below a prefix, page by page. */
  scanAll<P extends Partition>(partition: P, prefix?: string): AsyncGenerator<readonly Found<P>[]>;
  /** Every record below each of some ids, which are distinct; in the order of the ids. */
  scanBelowEach<P extends Partition>(
    partition: P,
    ids: readonly string[],
  ): Promise<readonly (readonly Found<P>[])[]>;
}

/** Reads decoded records from a snapshot. Policies come from the cache, so that equal ones are one object. */
export class Reader implements StateReader {
  readonly #snapshot: Snapshot;
  readonly #policies: PolicyCache;

  constructor(snapshot: Snapshot, policies: PolicyCache) {
    this.#snapshot = snapshot;
    this.#policies = policies;
  }

  /** Revision of the state. */
  get revision(): number {
    return this.#snapshot.revision;
  }

  get base(): string | undefined {
    return this.#snapshot.base;
  }

  /** The record under a key, or undefined. */
  async get<P extends Partition>(partition: P, key: string): Promise<RecordTypes[P] | undefined> {
    const stored = await this.#snapshot.get(partition, key);
    return stored && this.#decode(partition, key, stored);
  }

  async versionOf(partition: Partition, key: string): Promise<number> {
    return Number((await this.#snapshot.get(partition, key))?.version ?? 0);
  }

  /** The records under keys, in the order given. */
  async getMany<P extends Partition>(
    partition: P,
    keys: readonly string[],
  ): Promise<readonly (RecordTypes[P] | undefined)[]> {
    if (keys.length === 0) return [];
    const stored = await getInParts(this.#snapshot, partition, keys);
    let index = 0;
    return mapInTurns(stored, (record) => {
      const key = keys[index++]!;
      return record && this.#decode(partition, key, record);
    });
  }

  /** Records of a range, in UTF-8 byte order of their keys. */
  async scan<P extends Partition>(partition: P, options: ScanOptions): Promise<readonly Found<P>[]> {
    const page = await scanInParts(this.#snapshot, partition, options);
    return mapInTurns(page, (record) => this.#found(partition, record));
  }

  /**
   * Those records of a range whose key and stored text pass; others are not decoded.
   * @returns `end`: the last key that was looked at; undefined at the end of the range
   */
  async search<P extends Partition>(
    partition: P,
    options: ScanOptions,
    passes: (key: string, value: string) => boolean,
  ): Promise<{ readonly found: readonly Found<P>[]; readonly end: string | undefined }> {
    const page = await scanInParts(this.#snapshot, partition, options);
    const looked = await mapInTurns(page, (record) =>
      passes(record.key, record.value) ? this.#found(partition, record) : undefined,
    );
    const found = looked.filter((one) => one !== undefined);
    return { found, end: page.length < options.limit ? undefined : page.at(-1)?.key };
  }

  /** Every record below a prefix, page by page. */
  scanAll<P extends Partition>(partition: P, prefix = ""): AsyncGenerator<readonly Found<P>[]> {
    return pagesOf((range) => this.scan(partition, range), prefix);
  }

  scanBelowEach<P extends Partition>(
    partition: P,
    ids: readonly string[],
  ): Promise<readonly (readonly Found<P>[])[]> {
    return scanBelowEach((range) => this.scan(partition, range), ids);
  }

  #found<P extends Partition>(partition: P, { key, value, version }: ScannedRecord): Found<P> {
    return { key, record: this.#decode(partition, key, { value, version }) };
  }

  #decode<P extends Partition>(partition: P, key: string, stored: StoredRecord): RecordTypes[P] {
    if (partition === "policy") return this.#policies.decode(key, stored) as PolicyRecord as RecordTypes[P];
    return parseJsonText(stored.value) as RecordTypes[P];
  }
}

const SCAN_PAGE = 1_000;

/** Every record below a prefix, page by page. */
export async function* pagesOf<P extends Partition>(
  scan: (range: ScanOptions) => Promise<readonly Found<P>[]>,
  prefix: string,
): AsyncGenerator<readonly Found<P>[]> {
  let after: string | undefined;
  for (;;) {
    const page = await scan({ prefix, limit: SCAN_PAGE, ...(after !== undefined && { after }) });
    if (page.length > 0) yield page;
    if (page.length < SCAN_PAGE) return;
    after = page.at(-1)!.key;
  }
}

/** Runs `read` on one state of the store and frees it. */
export async function readState<T>(
  store: Store,
  policies: PolicyCache,
  read: (reader: Reader) => Promise<T>,
): Promise<T> {
  return withSnapshot(store, (snapshot) => read(new Reader(snapshot, policies)));
}
