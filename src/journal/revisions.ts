/** The positions that answers are given from, and waiting for one (spec/journal §6). */

import { AsyncLocalStorage } from "node:async_hooks";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  type NamedPosition,
  parsePosition,
  positionText,
  shortId,
} from "@svc-authorizer/policy/model/position.ts";
import { EntryIds } from "../store/entry-ids.ts";
import type { CommittedChange, Store } from "../store/port.ts";
import { provenAnswer } from "./proven-answer.ts";
import { SharedPolls } from "./shared-polls.ts";

/** Most requests that wait for a position at once. */
const MOST_WAITING = 1_000;
/** Longest wait for a position, in milliseconds. */
const PATIENCE_MS = 2_000;

/** A call whose answer names a position. */
interface RevisedCall {
  /** `N.LOG.ENTRY`. */
  position: string;
  /** True once the state was proved to be the newest after the call came, by a commit or otherwise (spec/journal §2.8). */
  isProven: boolean;
  /** True once a state of the store was opened for it. */
  hasRead: boolean;
}

/** A call that may change something. */
interface ProvingCall extends RevisedCall {
  readonly caller: { readonly name: string };
}

/** The positions that a caller asks for, as text. */
export interface AskedPositions {
  /** `N` or `N.LOG`: an answer from revision N or a later one. */
  readonly revision?: string | undefined;
  /** `N.LOG.ENTRY`: an answer from this entry or one that follows it. */
  readonly position?: string | undefined;
}

/** Notes the positions of commits with the calls that make them. */
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

  /** Notes the position of a commit with the call in whose context it was made, if any. */
  note(position: string): void {
    const call = this.#calls.getStore();
    if (call === undefined) return;
    call.position = position;
    call.isProven = true;
  }

  /** Notes that a state is read for the call in whose context that is done, if any. */
  noteRead(): void {
    const call = this.#calls.getStore();
    if (call !== undefined) call.hasRead = true;
  }
}

/** Options of {@link openRevisions}. */
interface RevisionsOptions {
  readonly store: Store;
  readonly notes: CommitNotes;
  /** Longest wait in milliseconds; default 2,000. */
  readonly patienceMs?: number;
}

/**
 * Opens the revisions of a store. Caches have to subscribe to the store before: a revision is named once they have heard
 * of it.
 */
export function openRevisions(options: RevisionsOptions): StoreRevisions {
  return new StoreRevisions(options);
}

/** The revisions of a store. */
export class StoreRevisions {
  readonly #store: Store;
  readonly #notes: CommitNotes;
  readonly #patienceMs: number;
  readonly #proofs: SharedPolls | undefined;
  readonly #unsubscribe: () => void;
  readonly #ids = new EntryIds();
  #revision = 0;
  #position = "";
  #waiting = 0;

  constructor({ store, notes, patienceMs = PATIENCE_MS }: RevisionsOptions) {
    this.#store = store;
    this.#notes = notes;
    this.#patienceMs = patienceMs;
    const prove = store.prove ?? store.catchUp;
    this.#proofs = prove && new SharedPolls(() => prove.call(store));
    this.#unsubscribe = store.subscribe((change) => this.#heard(change));
    const { revision, id } = store.history.head;
    this.#heard({ revision, id, node: "" });
  }

  /** Newest revision that the store and its caches have. */
  get newest(): number {
    return this.#revision;
  }

  /** ENTRY of the newest position; "" for an empty log. */
  get entry(): string {
    return shortId(this.#ids.at(this.#revision) ?? "");
  }

  /** Returns `N.LOG.ENTRY`, "" for an empty log; throws AuthorizerError "stale" where the store must not be answered from. */
  current(): string {
    this.#store.follow?.();
    this.#store.assertFresh?.();
    return this.#position;
  }

  /** `N.LOG.ENTRY` of a revision; `N.LOG` where it is too old. */
  positionOf(revision: number): string {
    return positionText(revision, this.#store.logId, this.#ids.at(revision));
  }

  /**
   * Returns once the store has what is asked for; undefined if it has it already.
   * @throws AuthorizerError "invalid_request", "other_log", "went_back", "behind", or "unavailable" if too many wait
   */
  reached({ revision, position }: AskedPositions): Promise<void> | undefined {
    const wanted: NamedPosition[] = [];
    if (revision !== undefined) {
      const named = parsePosition(revision);
      if (named === undefined || named.entry !== undefined)
        throw malformed("X-Svc-Min-Revision", "N or N.LOG");
      wanted.push(named);
    }
    if (position !== undefined) {
      const named = parsePosition(position);
      if (named?.entry === undefined) throw malformed("X-Svc-Min-Position", "N.LOG.ENTRY");
      wanted.push(named);
    }
    if (wanted.every((one) => this.#hasAtHand(one))) return undefined;
    if (this.#waiting >= MOST_WAITING) {
      throw new AuthorizerError("unavailable", "too many requests wait for a revision", {
        retryAfterSeconds: 1,
      });
    }
    return this.#reach(wanted);
  }

  /**
   * Runs a mutation, or a part of one: what it answers without a commit is answered from proof (spec/journal §2.8).
   * @param part `refusals`: only what it throws is an answer
   * @throws what the work throws, and AuthorizerError "unavailable" where nothing is proved in time
   */
  proving<T>(call: ProvingCall, work: () => T | Promise<T>, part?: "refusals"): T | Promise<T> {
    const noted = (): T | Promise<T> => this.#notes.during(call, work);
    if (this.#store.prove === undefined) return noted();
    return provenAnswer({
      call,
      work: noted,
      isRefusalOnly: part === "refusals",
      state: () => this.#position,
      prove: async () => {
        await this.#store.prove!(call.caller.name);
        call.position = this.current();
      },
    });
  }

  /** Hears of no further commit. */
  close(): void {
    this.#unsubscribe();
  }

  /** True where the newest state follows a position, as far as is known without a look into the store. */
  #hasAtHand({ revision, log, entry }: NamedPosition): boolean {
    if (revision > this.#revision || (log !== undefined && log !== this.#store.logId)) return false;
    return entry === undefined || shortId(this.#ids.at(revision) ?? "") === entry;
  }

  /** As {@link #hasAtHand}, with the ids that the store keeps. What is older than those is taken for known. */
  async #has(wanted: NamedPosition): Promise<boolean> {
    if (this.#hasAtHand(wanted)) return true;
    const { revision, log, entry } = wanted;
    if (entry === undefined || revision > this.#revision || log !== this.#store.logId) return false;
    const { history } = this.#store;
    const id = this.#ids.at(revision) ?? (await history.idOf(revision));
    return id === undefined ? revision <= history.head.revision : shortId(id) === entry;
  }

  /** A position that does not fit is refused only once it is proved that the store has the newest entry. */
  async #reach(wanted: readonly NamedPosition[]): Promise<void> {
    this.#waiting += 1;
    try {
      const missing = await this.#firstMissing(wanted);
      if (missing === undefined) return;
      if (!(await this.#proved(missing))) throw this.#behind(missing);
      const still = await this.#firstMissing(wanted);
      if (still !== undefined) throw this.#lost(still);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #firstMissing(wanted: readonly NamedPosition[]): Promise<NamedPosition | undefined> {
    for (const one of wanted) if (!(await this.#has(one))) return one;
    return undefined;
  }

  /** False where there is no proof in time. A store of one process is its own proof. */
  async #proved(missing: NamedPosition): Promise<boolean> {
    if (this.#proofs === undefined) return true;
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), this.#patienceMs);
    try {
      const proof = this.#proofs.poll().then(() => true);
      return await Promise.race([proof, late]);
    } catch (cause) {
      throw this.#behind(missing, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #behind({ revision }: NamedPosition, cause?: unknown): AuthorizerError {
    const message = `revision ${revision} is asked for, the newest one here is ${this.#revision}`;
    return new AuthorizerError("behind", message, { retryAfterSeconds: 1, cause });
  }

  #lost({ revision, log, entry }: NamedPosition): AuthorizerError {
    const { logId } = this.#store;
    if (log !== undefined && log !== logId) {
      return new AuthorizerError("other_log", `the log of this directory is ${logId || "empty"}, not ${log}`);
    }
    const rest = `ask again without it: the state went back, and revision ${this.#revision} is the newest`;
    if (entry === undefined) {
      return new AuthorizerError("other_log", `revision ${revision} is not in the log; ${rest}`);
    }
    return new AuthorizerError("went_back", `entry ${revision}.${log}.${entry} is not in the log; ${rest}`);
  }

  #heard({ revision, id, node }: Pick<CommittedChange, "revision" | "id" | "node">): void {
    // A whole state, which may be of another past.
    if (node === "") this.#ids.restart([[revision, id]]);
    else this.#ids.add(revision, id);
    this.#revision = revision;
    this.#position = positionText(revision, this.#store.logId, id);
  }
}

function malformed(header: string, form: string): AuthorizerError {
  return new AuthorizerError("invalid_request", `${header}: expected ${form}`);
}
