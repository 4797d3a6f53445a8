/**
 * The port of the key-value store (`database.type`): ordered, partitioned, with snapshots and
 * atomic commits. Backends: memory, local (LMDB); later postgres, dynamodb, cosmosdb. Each passes the one contract
 * suite in `test/contract/store-contract.ts`.
 */

/** Most operations (puts and deletes and expectations together) a commit may have: what DynamoDB and Cosmos DB can do. */
export const MAX_COMMIT_OPERATIONS = 100;

/** Longest key in UTF-8 bytes. LMDB's limit is 1,978 bytes for partition and key together. */
export const MAX_KEY_BYTES = 1_900;

/** A value with the version that its last write gave it. */
export interface StoredRecord {
  /** UTF-8 text, opaque to the store (JSON by the directory's choice). */
  readonly value: string;
  /** Opaque; differs after every write of the key, never repeats for a key, also across delete and re-create. */
  readonly version: string;
}

/** A record found by a scan. */
export interface ScannedRecord extends StoredRecord {
  readonly key: string;
}

/** Range of a scan. Keys come in ascending order of their UTF-8 bytes. */
export interface ScanOptions {
  /** Only keys that begin with this text; default "". */
  readonly prefix?: string;
  /** Only keys greater than this one (need not exist, need not begin with the prefix); default none. */
  readonly after?: string;
  /** At most this many records, ≥ 1. */
  readonly limit: number;
}

/** One consistent state: nothing committed after its creation shows. Must be released. */
export interface Snapshot {
  get(partition: string, key: string): Promise<StoredRecord | undefined>;
  /** As `get` for each key, in the order given; duplicates are allowed. */
  getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]>;
  scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]>;
  /** Frees the snapshot; calling it twice is harmless. Reading afterwards throws. */
  release(): void;
}

/** A condition of a commit, checked atomically with it. */
export interface Expectation {
  readonly partition: string;
  readonly key: string;
  /** The version the key must have, or undefined: it must be absent. */
  readonly version: string | undefined;
}

/** A set of writes that happens whole or not at all. */
export interface Commit {
  readonly expect?: readonly Expectation[];
  readonly put?: readonly { readonly partition: string; readonly key: string; readonly value: string }[];
  readonly delete?: readonly { readonly partition: string; readonly key: string }[];
}

/** The store port. */
export interface Store {
  /** Opens a view of one state. Throws AuthorizerError("unavailable") when the store cannot be read. */
  snapshot(): Promise<Snapshot>;
  /**
   * Applies a commit; resolves when it is durable (as durable as the backend is configured to be).
   * Throws AuthorizerError: "conflict" when an expectation fails (nothing is written), "invalid_request" for more
   * than {@link MAX_COMMIT_OPERATIONS} operations, a key over {@link MAX_KEY_BYTES}, an empty key, a key with NUL,
   * or a key that is both put and deleted; "unavailable" when the store cannot be written.
   * Deleting an absent key is no error.
   */
  commit(commit: Commit): Promise<void>;
  /** Rejects with AuthorizerError("unavailable") when the store does not work. */
  health(): Promise<void>;
  /** Waits for what is under way and frees everything. Later calls throw. */
  close(): Promise<void>;
}

/** Runs `read` on a snapshot and releases it. */
export async function withSnapshot<T>(store: Store, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const snapshot = await store.snapshot();
  try {
    return await read(snapshot);
  } finally {
    snapshot.release();
  }
}
