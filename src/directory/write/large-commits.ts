/**
 * Commits of any size over a store whose commits have at most 100 operations. Chunk by chunk the keys get write
 * intents (`resolved-snapshot.ts`), each chunk with a journal record that names its keys; one commit on the batch's
 * record then makes the new values the visible ones; afterwards intents become plain values, chunk by chunk. A
 * restart undoes what was not committed and finishes what was. The caller keeps other writers away meanwhile.
 */

import { MAX_COMMIT_OPERATIONS, type Snapshot, type Store, withSnapshot } from "../../store/port.ts";
import { pipeline } from "../pipeline.ts";
import { decodeIntent, encodeIntent } from "../read/resolved-snapshot.ts";
import { generateId } from "../records/ids.ts";
import type { BatchKeysRecord, BatchRecord } from "../records/layout.ts";

/** Keys of a chunk: one operation of its commits is the journal record. */
const CHUNK_KEYS = MAX_COMMIT_OPERATIONS - 1;
/** Commits under way at once: the local store makes one disk write of those that wait together. */
const WIDTH = 64;
/** Journal records read at once by a recovery. */
const RECOVERY_CHUNKS = 16;

/** A key that a transaction leaves changed. */
export interface PendingWrite {
  readonly partition: string;
  readonly key: string;
  /** Stored text before, undefined where absent or not read (see `known`). */
  readonly old: string | undefined;
  /** Whether `old` was read. */
  readonly known: boolean;
  /** Text to store, or undefined to delete. */
  readonly next: string | undefined;
}

/** What is told while writes are applied. */
export interface LargeCommitEvents {
  /** Called once, right after the new values became visible. */
  readonly onCommitted: () => void;
  readonly onProgress: (done: number, total: number) => void;
}

interface Chunk {
  readonly journalKey: string;
  readonly writes: readonly PendingWrite[];
}

/** A chunk whose intents are written: what they hold is read again when they are settled, not kept in memory. */
interface WrittenChunk {
  readonly journalKey: string;
  readonly writes: number;
}

type Change = { readonly partition: string; readonly key: string; readonly value: string | undefined };

/** Turns changes into the parts of a commit. */
function partsOf(changes: readonly Change[]) {
  return {
    put: changes.flatMap(({ partition, key, value }) =>
      value === undefined ? [] : [{ partition, key, value }],
    ),
    delete: changes.flatMap(({ partition, key, value }) => (value === undefined ? [{ partition, key }] : [])),
  };
}

function* chunksOf(writes: Iterable<PendingWrite>, batch: string): Generator<Chunk> {
  let chunk: PendingWrite[] = [];
  let number = 0;
  const next = (): Chunk => ({ journalKey: `${batch}/${String(number++).padStart(8, "0")}`, writes: chunk });
  for (const write of writes) {
    chunk.push(write);
    if (chunk.length < CHUNK_KEYS) continue;
    yield next();
    chunk = [];
  }
  if (chunk.length > 0) yield next();
}

/** Texts before the batch; read where the transaction did not, chunk by chunk so that no snapshot is held for long. */
async function oldValues(store: Store, writes: readonly PendingWrite[]): Promise<(string | undefined)[]> {
  const values = writes.map((write) => write.old);
  const unknown = Map.groupBy(
    writes.keys().filter((index) => !writes[index]!.known),
    (index) => writes[index]!.partition,
  );
  if (unknown.size === 0) return values;
  await withSnapshot(store, async (snapshot) => {
    for (const [partition, indexes] of unknown) {
      const keys = indexes.map((index) => writes[index]!.key);
      const stored = await snapshot.getMany(partition, keys);
      for (const [position, index] of indexes.entries()) values[index] = stored[position]?.value;
    }
  });
  return values;
}

/** What settles the intents of a chunk: their new values where the batch was committed, else their old ones. */
async function changesOf(
  snapshot: Snapshot,
  batch: string,
  journal: string,
  committed: boolean,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const [partition, keys] of Object.entries(JSON.parse(journal) as BatchKeysRecord)) {
    const stored = await snapshot.getMany(partition, keys);
    for (const [index, key] of keys.entries()) {
      const intent = decodeIntent(stored[index]?.value ?? "");
      if (intent?.batch !== batch) continue;
      changes.push({ partition, key, value: committed ? intent.next : intent.old });
    }
  }
  return changes;
}

/** Applies large commits to a store, and recovers interrupted ones. */
export class LargeCommits {
  readonly #store: Store;
  #interrupted = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** True when the store failed in the midst: {@link recover} must run before anything else is written. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /**
   * Applies writes, all or nothing as seen by readers of resolved snapshots.
   * @param count how many writes there are at most
   */
  async apply(writes: Iterable<PendingWrite>, count: number, events: LargeCommitEvents): Promise<void> {
    if (count <= MAX_COMMIT_OPERATIONS) {
      const changes = [...writes].map(({ partition, key, next }) => ({ partition, key, value: next }));
      if (changes.length > 0) await this.#store.commit(partsOf(changes));
      events.onCommitted();
      events.onProgress(changes.length, changes.length);
      return;
    }
    await this.#applyInChunks(writes, count, events);
  }

  /** Undoes uncommitted batches and finishes committed ones; returns the ids of the latter. */
  async recover(): Promise<ReadonlySet<string>> {
    const batches = await withSnapshot(this.#store, (snapshot) => snapshot.scan("batch", { limit: 1_000 }));
    const committed = new Set<string>();
    for (const { key, value } of batches) {
      if ((JSON.parse(value) as BatchRecord).state === "committed") committed.add(key);
      await this.#settleAll(key, committed.has(key));
      await this.#store.commit({ delete: [{ partition: "batch", key }] });
    }
    this.#interrupted = false;
    return committed;
  }

  async #applyInChunks(
    writes: Iterable<PendingWrite>,
    count: number,
    events: LargeCommitEvents,
  ): Promise<void> {
    const batch = generateId();
    this.#interrupted = true;
    let done = 0;
    const advance = (by: number): void => {
      done += by;
      events.onProgress(Math.min(Math.floor(done / 2), count), count);
    };
    let chunks: readonly WrittenChunk[];
    try {
      await this.#setState(batch, "open");
      chunks = await this.#writeIntents(batch, writes, advance);
      await this.#setState(batch, "committed");
    } catch (error) {
      // The failed commit may have been the deciding one: only the store knows.
      const committed = await this.recover();
      if (!committed.has(batch)) throw error;
      events.onCommitted();
      return;
    }
    events.onCommitted();
    await this.#finish(batch, chunks, advance).catch(() => {
      // Readers see the new values already; what is left is done before the next write, or at the next start.
    });
    events.onProgress(count, count);
  }

  async #writeIntents(
    batch: string,
    writes: Iterable<PendingWrite>,
    advance: (by: number) => void,
  ): Promise<readonly WrittenChunk[]> {
    const chunks: WrittenChunk[] = [];
    await pipeline(chunksOf(writes, batch), WIDTH, async (chunk) => {
      const old = await oldValues(this.#store, chunk.writes);
      const intents = chunk.writes.map(({ partition, key, next }, index) => ({
        partition,
        key,
        value: encodeIntent({ batch, old: old[index], next }),
      }));
      const keys: BatchKeysRecord = Object.fromEntries(
        Map.groupBy(chunk.writes, (write) => write.partition)
          .entries()
          .map(([partition, of]) => [partition, of.map((write) => write.key)]),
      );
      const journal = { partition: "batch_keys", key: chunk.journalKey, value: JSON.stringify(keys) };
      await this.#store.commit({ put: [journal, ...intents] });
      chunks.push({ journalKey: chunk.journalKey, writes: chunk.writes.length });
      advance(chunk.writes.length);
    });
    return chunks;
  }

  async #finish(
    batch: string,
    chunks: readonly WrittenChunk[],
    advance: (by: number) => void,
  ): Promise<void> {
    await pipeline(chunks, WIDTH, async ({ journalKey, writes }) => {
      const changes = await withSnapshot(this.#store, async (snapshot) => {
        const journal = await snapshot.get("batch_keys", journalKey);
        return journal === undefined ? [] : changesOf(snapshot, batch, journal.value, true);
      });
      await this.#settle(journalKey, changes);
      advance(writes);
    });
    await this.#store.commit({ delete: [{ partition: "batch", key: batch }] });
    this.#interrupted = false;
  }

  /** Settles every chunk that the journal of a batch still names. */
  async #settleAll(batch: string, committed: boolean): Promise<void> {
    for (;;) {
      const settled = await withSnapshot(this.#store, async (snapshot) => {
        const chunks = await snapshot.scan("batch_keys", { prefix: `${batch}/`, limit: RECOVERY_CHUNKS });
        await pipeline(chunks, RECOVERY_CHUNKS, async ({ key: journalKey, value }) => {
          const changes = await changesOf(snapshot, batch, value, committed);
          await this.#settle(journalKey, changes);
        });
        return chunks.length;
      });
      if (settled < RECOVERY_CHUNKS) return;
    }
  }

  async #settle(journalKey: string, changes: readonly Change[]): Promise<void> {
    const parts = partsOf(changes);
    await this.#store.commit({
      put: parts.put,
      delete: [...parts.delete, { partition: "batch_keys", key: journalKey }],
    });
  }

  async #setState(batch: string, state: BatchRecord["state"]): Promise<void> {
    const value = JSON.stringify({ state } satisfies BatchRecord);
    await this.#store.commit({ put: [{ partition: "batch", key: batch, value }] });
  }
}
