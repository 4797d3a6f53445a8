/** The revisions that answers are given from, and waiting for one (journal.md §6). */

import { AsyncLocalStorage } from "node:async_hooks";
import { AuthorizerError } from "../errors.ts";
import { type Store, withSnapshot } from "../store/port.ts";
import { SharedPolls } from "./shared-polls.ts";

/** Most requests that wait for a revision at once. */
const MOST_WAITING = 1_000;
/** Longest wait for a revision, in milliseconds. */
const PATIENCE_MS = 2_000;

const MINIMUM = /^(\d{1,15})(?:\.([\w-]{8}))?$/;

/** A call whose answer names a revision. */
export interface RevisedCall {
  /** `N.log`. */
  revision: string;
}

/** Notes the revisions of commits with the calls that make them. */
export class CommitNotes {
  readonly #calls = new AsyncLocalStorage<RevisedCall>();

  /** Runs work whose commits are noted with a call. */
  during<T>(call: RevisedCall, work: () => T): T {
    return this.#calls.run(call, work);
  }

  /** The call in whose context work is done, if any. */
  get call(): RevisedCall | undefined {
    return this.#calls.getStore();
  }

  /** Notes a commit with the call in whose context it was made, if any. */
  note(revision: number, logId: string): void {
    const call = this.#calls.getStore();
    if (call !== undefined) call.revision = `${revision}.${logId}`;
  }
}

/** Options of {@link openRevisions}. */
export interface RevisionsOptions {
  readonly store: Store;
  readonly notes: CommitNotes;
  /** Longest wait in milliseconds; default 2,000. */
  readonly patienceMs?: number;
}

/**
 * Opens the revisions of a store. Caches have to subscribe to the store before: a revision is named once they have heard
 * of it.
 */
export async function openRevisions(options: RevisionsOptions): Promise<StoreRevisions> {
  const revisions = new StoreRevisions(options);
  await revisions.begin();
  return revisions;
}

/** The revisions of a store. */
export class StoreRevisions {
  readonly #store: Store;
  readonly #notes: CommitNotes;
  readonly #patienceMs: number;
  readonly #polls: SharedPolls | undefined;
  readonly #unsubscribe: () => void;
  #revision = -1;
  #text = "";
  #waiting = 0;

  constructor({ store, notes, patienceMs = PATIENCE_MS }: RevisionsOptions) {
    this.#store = store;
    this.#notes = notes;
    this.#patienceMs = patienceMs;
    this.#polls = store.catchUp && new SharedPolls(() => store.catchUp!());
    this.#unsubscribe = store.subscribe(({ revision }) => this.#set(revision));
  }

  /** Newest revision that the store and its caches have. */
  get newest(): number {
    return this.#revision;
  }

  /** Reads where the store stands. */
  async begin(): Promise<void> {
    const revision = await withSnapshot(this.#store, async (snapshot) => snapshot.revision);
    if (this.#revision < 0) this.#set(revision);
  }

  /** Returns `N.log`; throws AuthorizerError "stale" where the store must not be answered from. */
  current(): string {
    this.#store.follow?.();
    this.#store.assertFresh?.();
    return this.#text;
  }

  /**
   * Returns once the store has a revision; undefined if it has it already.
   * @param minimum `N` or `N.log`
   * @throws AuthorizerError "invalid_request", "other_log", "behind", or "unavailable" if too many wait
   */
  reached(minimum: string): Promise<void> | undefined {
    const [, number, log] = MINIMUM.exec(minimum) ?? [];
    if (number === undefined) {
      throw new AuthorizerError("invalid_request", "X-Svc-Min-Revision: expected N or N.log");
    }
    if (log !== undefined && log !== this.#store.logId) {
      throw new AuthorizerError("other_log", `the log of this directory is ${this.#store.logId}, not ${log}`);
    }
    const wanted = Number(number);
    if (wanted <= this.#revision) return undefined;
    if (this.#polls === undefined) throw this.#behind(wanted);
    if (this.#waiting >= MOST_WAITING) {
      throw new AuthorizerError("unavailable", "too many requests wait for a revision", {
        retryAfterSeconds: 1,
      });
    }
    return this.#wait(wanted, this.#polls);
  }

  /** Runs work; what it commits sets the revision of the call. */
  writing<T>(call: RevisedCall, work: () => T): T {
    return this.#notes.during(call, work);
  }

  /** Hears of no further commit. */
  close(): void {
    this.#unsubscribe();
  }

  /** After one poll the store has the newest entry there is, so that a revision above it does not exist yet. */
  async #wait(wanted: number, polls: SharedPolls): Promise<void> {
    this.#waiting += 1;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#patienceMs);
    try {
      await Promise.race([polls.poll(), late]);
    } catch (cause) {
      throw this.#behind(wanted, cause);
    } finally {
      clearTimeout(timer);
      this.#waiting -= 1;
    }
    if (this.#revision < wanted) throw this.#behind(wanted);
  }

  #behind(wanted: number, cause?: unknown): AuthorizerError {
    const message = `revision ${wanted} is asked for, the newest one here is ${this.#revision}`;
    return new AuthorizerError("behind", message, { retryAfterSeconds: 1, cause });
  }

  #set(revision: number): void {
    this.#revision = revision;
    this.#text = `${revision}.${this.#store.logId}`;
  }
}
