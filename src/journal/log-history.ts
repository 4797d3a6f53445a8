/** The log of an engine as far back as it is kept (spec/journal §4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { AboutIndex } from "../store/about-index.ts";
import { committedChange, wholeStateChange } from "../store/committed-change.ts";
import { decodeFirstLine, decodeHead } from "../store/log-entry.ts";
import type { MemoryStore } from "../store/memory/memory-store.ts";
import type {
  CommitListener,
  CommittedChange,
  EntryWrites,
  History,
  KeyWrite,
  LogHead,
  RecordName,
  Snapshot,
  StoredRecord,
  Thing,
  VersionedRecord,
} from "../store/port.ts";
import { revisionNotKept } from "../store/refusals.ts";
import type { Replica } from "../store/replica.ts";
import { CheckpointGone } from "./checkpoints.ts";
import { type Engine, entryName } from "./engine.ts";
import { readBody, readBodyStart, readWriteOf } from "./entry-parts.ts";
import { pastRecord, pastState } from "./past-state.ts";

const PAGE = 100;
/** Attempts to read a revision from a log that changes. */
const MOST_ATTEMPTS = 3;

/** The newest state of a node, and what led to it as far as it is at hand. */
export interface FollowedCopy {
  /** The newest entry of which listeners have heard. */
  readonly head: LogHead;
  snapshot(): Promise<Snapshot> | Snapshot;
  /** The entries after a revision that are at hand; undefined where some are not. */
  changes?(after: number, limit: number): Promise<readonly CommittedChange[] | undefined>;
  /** As {@link History.idOf}. */
  idOf(revision: number): Promise<string | undefined>;
  subscribe(listener: CommitListener): () => void;
}

/** The copy of a node that has it in its own process. */
export function followed(replica: Replica): FollowedCopy {
  return {
    get head() {
      return replica.history.head;
    },
    snapshot: () => replica.snapshot(),
    changes: (after, limit) => replica.changes(after, limit),
    idOf: (revision) => replica.history.idOf(revision),
    subscribe: (listener) => replica.subscribe(listener),
  };
}

/** The sources of a history. */
interface LogHistoryParts {
  readonly engine: Engine;
  readonly replica: FollowedCopy;
  /** Writes a checkpoint of the newest state and removes everything before it. */
  readonly forgetPast: () => Promise<void>;
}

/** Reads entries and earlier states from an engine. */
export class LogHistory implements History {
  readonly #parts: LogHistoryParts;
  /** The index of entries by the things that they are about; made when it is first asked for. */
  #about: Promise<AboutIndex> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(parts: LogHistoryParts) {
    this.#parts = parts;
  }

  get head(): LogHead {
    return this.#parts.replica.head;
  }

  keptFrom(): Promise<number> {
    return this.#parts.engine.floor();
  }

  /** As {@link Store.changes}. */
  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    const { engine, replica } = this.#parts;
    const known = await replica.changes?.(after, limit);
    if (known !== undefined) return known;
    const found: CommittedChange[] = [];
    while (found.length < limit) {
      const start = after + found.length;
      const { entries, floor } = await engine.entries(start, Math.min(PAGE, limit - found.length));
      if (floor > start) return undefined;
      // What this node has not applied yet does not exist for its callers.
      const applied = entries.filter(({ revision }) => revision <= this.head.revision);
      for (const { item } of applied) found.push(await this.#toChange(item));
      if (applied.length === 0) break;
    }
    return found;
  }

  idOf(revision: number): Promise<string | undefined> {
    return this.#parts.replica.idOf(revision);
  }

  async writes(revision: number, id?: string): Promise<EntryWrites | undefined> {
    const item = await this.#keptItem(revision);
    const head = item && decodeHead(item);
    if (head === undefined || (id !== undefined && head.id !== id)) return undefined;
    return readBody(this.#parts.engine, head, item!);
  }

  async writeOf(revision: number, name: RecordName): Promise<KeyWrite | undefined> {
    const { engine } = this.#parts;
    const item = await this.#keptItem(revision);
    if (item === undefined) return undefined;
    try {
      return await readWriteOf(engine, decodeHead(item), item, name);
    } catch (error) {
      if (!(error instanceof CheckpointGone)) throw error;
      if ((await engine.floor()) >= revision) return undefined;
      throw notThere(revision, error);
    }
  }

  async #keptItem(revision: number): Promise<Buffer | undefined> {
    const { engine } = this.#parts;
    if (revision > this.head.revision) return undefined;
    const item = await engine.read(entryName(revision));
    return item === undefined || (await engine.floor()) >= revision ? undefined : item;
  }

  async recordAt(revision: number, name: RecordName): Promise<StoredRecord | undefined> {
    const latest = await this.#parts.replica.snapshot();
    const newest = latest.revision;
    const record = await latest.get(name.partition, name.key).finally(() => latest.release());
    return this.#readPast(revision, newest, async () => {
      if (newest === revision || (record !== undefined && Number(record.version) <= revision)) return record;
      return pastRecord(this.#parts.engine, revision, name);
    });
  }

  async snapshotAt(revision: number): Promise<Snapshot> {
    const latest = await this.#parts.replica.snapshot();
    const newest = latest.revision;
    if (newest === revision) return latest;
    latest.release();
    const state = await this.#stateAt(revision, newest);
    return closing(await state.snapshot(), () => void state.close());
  }

  async *records(revision: number): AsyncGenerator<readonly VersionedRecord[]> {
    const state = await this.#stateAt(revision, this.head.revision);
    try {
      yield* state.state().pages;
    } finally {
      await state.close();
    }
  }

  #stateAt(revision: number, newest: number): Promise<MemoryStore> {
    return this.#readPast(revision, newest, () => pastState(this.#parts.engine, revision));
  }

  /**
   * Reads what a revision was, and begins again where that was removed while it was read.
   * @throws AuthorizerError "not_found" for a revision that is not kept, "unavailable" where the log lacks what led to it
   */
  async #readPast<T>(revision: number, newest: number, read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const keptFrom = await this.keptFrom();
      if (revision > newest || revision < keptFrom) throw revisionNotKept(revision, keptFrom, newest);
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof CheckpointGone)) throw error;
        if (attempt < MOST_ATTEMPTS) continue;
        throw notThere(revision, error);
      }
    }
  }

  async about(thing: Thing, before: number, limit: number): Promise<readonly CommittedChange[]> {
    const { engine } = this.#parts;
    this.#about ??= this.#index();
    const index = await this.#about;
    const keptFrom = await this.keptFrom();
    const revisions = index.find(thing, before, limit).filter((revision) => revision > keptFrom);
    const items = await Promise.all(revisions.map((revision) => engine.read(entryName(revision))));
    const keptNow = items.includes(undefined) ? await this.keptFrom() : 0;
    const lost = revisions.find((revision, index) => items[index] === undefined && revision > keptNow);
    if (lost !== undefined) throw notThere(lost, new CheckpointGone(`entry ${lost} is gone`));
    const found = items.flatMap((item) => (item === undefined ? [] : [this.#toChange(item)]));
    return Promise.all(found);
  }

  forgetPast(): Promise<void> {
    return this.#parts.forgetPast();
  }

  /** Stops following. */
  close(): void {
    this.#unsubscribe?.();
  }

  /** Reads what every entry is about, and follows from then on. */
  async #index(): Promise<AboutIndex> {
    const index = new AboutIndex();
    const { replica } = this.#parts;
    const waiting: CommittedChange[] = [];
    let add = (change: CommittedChange): void => void waiting.push(change);
    this.#unsubscribe?.();
    this.#unsubscribe = replica.subscribe((change) => {
      // A whole state was loaded: what led to it was not told.
      if (change.node === "") this.#about = undefined;
      else add(change);
    });
    try {
      const end = this.head.revision;
      for (let at = await this.keptFrom(); at < end; ) {
        const page = await this.changes(at, Math.min(PAGE, end - at));
        if (page === undefined) at = await this.keptFrom();
        else for (const change of page) index.add(change);
        at = page?.at(-1)?.revision ?? at;
        if (page?.length === 0) break;
      }
      for (const change of waiting) index.add(change);
      add = (change) => index.add(change);
      return index;
    } catch (error) {
      this.#about = undefined;
      throw error;
    }
  }

  async #toChange(item: Buffer): Promise<CommittedChange> {
    const head = decodeHead(item);
    const start = await readBodyStart(this.#parts.engine, head, item);
    // An entry whose parts are being removed may have touched anything.
    return start === undefined ? wholeStateChange(head) : committedChange(head, decodeFirstLine(start));
  }
}

/** The refusal of a revision that is kept, and of which something is gone. */
function notThere(revision: number, cause: CheckpointGone): AuthorizerError {
  const message = `Revision ${revision} cannot be read now: the log changes, or lacks what led to it (${cause.message}).`;
  return new AuthorizerError("unavailable", message, { retryAfterSeconds: 1, cause });
}

/** The same snapshot; releasing it does more. */
function closing(snapshot: Snapshot, close: () => void): Snapshot {
  return {
    revision: snapshot.revision,
    get: (partition, key) => snapshot.get(partition, key),
    getMany: (partition, keys) => snapshot.getMany(partition, keys),
    scan: (partition, options) => snapshot.scan(partition, options),
    release: () => {
      snapshot.release();
      close();
    },
  };
}
