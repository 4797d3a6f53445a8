/** A log that goes back, and nodes with copies of it: what readers and callers of the model meet (spec/journal §6). */

import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { CommittedChange, EntryWrites, History, Snapshot, Store } from "../../../src/store/port.ts";
import type { EntryName, Replica } from "../../../src/store/replica.ts";

/** An entry of the log: one record. */
interface LogEntry extends EntryName {
  readonly writes: EntryWrites;
}

/** Gives way to others: resolves when the schedule says so. */
type Pause = () => Promise<void>;

/** The log, and every past that it ever had. */
export class Database {
  entries: LogEntry[] = [];
  /** Ids of the log after each change of it. */
  readonly pasts: (readonly string[])[] = [[]];
  /** The log up to every entry that ever was. */
  readonly #ever = new Map<string, readonly LogEntry[]>();
  #count = 0;

  /** Adds an entry that puts a record. */
  add(partition: string, key: string, value: object): LogEntry {
    const revision = this.entries.length + 1;
    const id = `entry-${String(this.#count++).padStart(4, "0")}`.split("").reverse().join("");
    const put = [{ partition, key, value: JSON.stringify(value) }];
    const entry = { revision, id, at: "", node: "node", writes: { put, delete: [], change: {} } };
    this.entries.push(entry);
    this.#ever.set(id.slice(0, 8), [...this.entries]);
    this.#note();
    return entry;
  }

  /** The value of a record in the state that an entry made, whether it is still in the log or not. */
  valueAt(entry: string, partition: string, key: string): string | undefined {
    return valueIn(this.#ever.get(entry)!, partition, key);
  }

  /** Loses the newest entries; the first stays, which names the log. */
  putBack(lost: number): void {
    this.entries.length = Math.max(1, this.entries.length - lost);
    this.#note();
  }

  /** The value of a record. */
  value(partition: string, key: string): string | undefined {
    return valueIn(this.entries, partition, key);
  }

  #note(): void {
    this.pasts.push(this.entries.map(({ id }) => id));
  }
}

function valueIn(entries: readonly LogEntry[], partition: string, key: string): string | undefined {
  const isIt = ({ writes: { put: written } }: LogEntry): boolean => {
    const [first] = written;
    return first?.partition === partition && first.key === key;
  };
  const [put] = entries.findLast(isIt)?.writes.put ?? [];
  return put?.value;
}

/** A node: its copy moves when the schedule says so. */
export class ModelNode implements Store {
  readonly #database: Database;
  readonly #replica: Replica = openMemoryStore({ isReplica: true });
  readonly #pause: Pause;
  /** The entries that the copy was made of. */
  #applied: readonly LogEntry[] = [];
  #lane: Promise<void> = Promise.resolve();
  readonly history: History;

  constructor(database: Database, pause: Pause) {
    this.#database = database;
    this.#pause = pause;
    const { history } = this.#replica;
    const paused = async <T>(read: () => T | Promise<T>): Promise<T> => {
      await pause();
      return read();
    };
    this.history = {
      ...history,
      get head() {
        return history.head;
      },
      idOf: (revision) => paused(() => history.idOf(revision)),
      writes: (revision, id) => paused(() => this.#writes(revision, id)),
    };
  }

  get logId(): string {
    return this.#replica.logId;
  }

  /** Follows one entry, or takes the whole state where time went back. The copy is moved in one lane. */
  follow(): Promise<void> {
    this.#lane = this.#lane.then(() => this.#follow());
    return this.#lane;
  }

  async #follow(): Promise<void> {
    const { revision } = this.history.head;
    const { entries } = this.#database;
    const own = this.#applied.at(-1);
    if (own !== undefined && entries[revision - 1]?.id !== own.id) {
      this.#applied = [...entries];
      await this.#replica.replaceState(
        { ...entries.at(-1)!, node: "", log: entries[0]!.id },
        this.#state(),
        this.#ids(),
      );
      return;
    }
    const next = entries[revision];
    if (next === undefined) return;
    this.#applied = [...this.#applied, next];
    await this.#replica.applyEntry(next, next.writes);
  }

  /** Resolves once the copy was the newest at a moment after the call. */
  async prove(): Promise<void> {
    for (;;) {
      await this.#pause();
      if (this.#database.entries.at(-1)?.id === this.history.head.id) return;
      await this.follow();
    }
  }

  async snapshot(): Promise<Snapshot> {
    await this.#pause();
    return this.#replica.snapshot();
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    await this.#pause();
    return this.#applied.slice(after, after + limit).map((entry) => ({ ...entry, useCases: [], change: {} }));
  }

  subscribe(listener: (change: CommittedChange) => void): () => void {
    return this.#replica.subscribe(listener);
  }

  commit(): Promise<never> {
    return Promise.reject(new Error("the model commits to the database"));
  }

  async health(): Promise<void> {}

  close(): Promise<void> {
    return this.#replica.close();
  }

  /** The entry of a number as the database has it now: the copy may be of another past. */
  #writes(revision: number, id: string | undefined): EntryWrites | undefined {
    const entry = this.#database.entries[revision - 1];
    return entry === undefined || (id !== undefined && entry.id !== id) ? undefined : entry.writes;
  }

  #ids(): [number, string][] {
    return this.#applied.map(({ revision, id }) => [revision, id]);
  }

  async *#state() {
    const records = new Map<string, { partition: string; key: string; value: string; version: number }>();
    for (const { revision, writes } of this.#applied) {
      for (const one of writes.put) records.set(`${one.partition}/${one.key}`, { ...one, version: revision });
    }
    yield [...records.values()];
  }
}
