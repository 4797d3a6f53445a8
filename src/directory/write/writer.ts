/**
 * Writes as transactions (spec/journal §2): a use case runs on one snapshot, and commits only if nothing that it read,
 * also by scan, has changed meanwhile; after a lost race it runs again on the newest state.
 */

import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerError, isErrorCode, tellsOfState } from "@svc-authorizer/policy/errors.ts";
import { type Commit, isCheck, type Store, withSnapshot } from "../../store/port.ts";
import type { Authors } from "../author.ts";
import type { BesideWrites } from "../beside.ts";
import type { PolicyCache } from "../read/policy-cache.ts";
import { claimIn } from "./claim-in.ts";
import { type PieceOfWork, writeStaged } from "./staged-write.ts";
import { Transaction } from "./transaction.ts";

/** Default of {@link WriterParts.deadlineMs}. */
const DEADLINE_MS = 5_000;
/** Lost races after which the others of this process hold back. */
const LOST_BEFORE_TURN = 3;
const TURN_MS = 5_000;
const MAX_BACKOFF_MS = 20;

/** State that writers share. */
interface WriterParts {
  readonly store: Store;
  readonly policies: PolicyCache;
  readonly authors: Authors;
  /** Throws where the author of a write may not make it in the state of the transaction. */
  readonly judge: (tx: Transaction) => Promise<void>;
  /** Adds what each commit has to bring along. */
  readonly complete: (tx: Transaction) => Promise<void>;
  /** As `complete`, for what was written in several transactions of a stage. */
  readonly completeStage: (tx: Transaction) => Promise<void>;
  /** Time for which a use case is repeated after lost races, in milliseconds; default 5 s. */
  readonly deadlineMs?: number | undefined;
}

/** The course of a use case over its attempts. */
interface Course {
  /** True once what it answers without a commit rests on proof (spec/journal §2.8). */
  isProven: boolean;
}

/** Runs transactions. */
export class Writer {
  readonly #parts: WriterParts;
  /** Set while a use case that lost often commits: others wait, for {@link TURN_MS} at most. */
  #turn: Promise<void> | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Runs `work` on a new snapshot and commits what it wrote. After a lost race it runs again, each time on the newest
   * state, until `deadlineMs` have passed since the first loss; then throws "conflict". Those who subscribed to the
   * store hear of the change before the promise resolves.
   */
  async write<T>(
    work: (tx: Transaction) => Promise<T>,
    deadlineMs = this.#parts.deadlineMs ?? DEADLINE_MS,
  ): Promise<T> {
    let end = Number.POSITIVE_INFINITY;
    const course = { isProven: this.#parts.store.prove === undefined };
    for (let lost = 0; ; lost++) {
      if (lost >= LOST_BEFORE_TURN) return this.#inTurn(work, end, course);
      await this.#turn;
      const done = await this.#attempt(work, course);
      if (done !== undefined) return done.result;
      if (lost === 0) end = performance.now() + deadlineMs;
      await this.#backOff(end);
    }
  }

  /** Runs `work` on a new snapshot and forgets what it wrote. */
  async rehearse<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { store, policies } = this.#parts;
    return withSnapshot(store, (snapshot) => work(new Transaction(snapshot, policies)));
  }

  /** As {@link writeStaged}; only where the store can stage. */
  writeStaged(
    pieces: () => Iterable<PieceOfWork>,
    deadlineMs: number,
    options?: { readonly dryRun: boolean },
  ): Promise<void> {
    return writeStaged(this.#parts, pieces, deadlineMs, options);
  }

  /** Runs use cases that lost races one after the other, while the others of this process hold back. */
  async #inTurn<T>(work: (tx: Transaction) => Promise<T>, end: number, course: Course): Promise<T> {
    while (this.#turn !== undefined) await this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = promise.then(() => {
      if (this.#turn === turn) this.#turn = undefined;
    });
    this.#turn = turn;
    const timer = setTimeout(resolve, TURN_MS);
    try {
      await this.#parts.store.takeTurn?.();
      for (;;) {
        const done = await this.#attempt(work, course);
        if (done !== undefined) return done.result;
        await this.#backOff(end);
      }
    } finally {
      clearTimeout(timer);
      resolve();
    }
  }

  async #backOff(end: number): Promise<void> {
    if (performance.now() > end) {
      throw new AuthorizerError("conflict", "others kept changing the same records; try again");
    }
    await delay(Math.random() * MAX_BACKOFF_MS);
  }

  /**
   * Undefined if something that `work` read was changed meanwhile. What it answers without a commit, also what it throws, is
   * checked against the newest state as a commit is; an attempt after a check that failed runs on that state or a later one.
   */
  async #attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    course: Course,
  ): Promise<{ readonly result: T } | undefined> {
    const { store, policies, authors, judge, complete } = this.#parts;
    const { answer, commit } = await withSnapshot(store, async (snapshot) => {
      const tx = new Transaction(snapshot, policies);
      try {
        await judge(tx);
        const beside = await authors.beside?.(snapshot);
        const result = await work(tx);
        if (beside !== undefined) await claim(tx, beside);
        await complete(tx);
        const commit = (await tx.toCommit()) ?? tx.toCheck();
        return { answer: () => ({ result }), commit: beside === undefined ? commit : join(commit, beside) };
      } catch (error) {
        if (tx.hasReadNothing || !tellsOfState(error)) throw error;
        return { answer: () => raise(error), commit: tx.toCheck() };
      }
    });
    if (isCheck(commit) && course.isProven) return answer();
    try {
      const actor = authors.name;
      await store.commit({ ...commit, ...(actor !== undefined && { actor }) });
    } catch (error) {
      if (!isErrorCode(error, "conflict")) throw error;
      course.isProven ||= isCheck(commit);
      return undefined;
    }
    return answer();
  }
}

/** Uses up the token of what is written beside a transaction. */
async function claim(tx: Transaction, beside: BesideWrites): Promise<void> {
  if (!(await claimIn(tx, beside.claim))) throw new AuthorizerError("not_found", "the token was used");
}

function join(commit: Commit, { expect = [], put = [] }: BesideWrites): Commit {
  return {
    ...commit,
    expect: [...(commit.expect ?? []), ...expect],
    put: [...(commit.put ?? []), ...put],
  };
}

function raise(error: unknown): never {
  throw error;
}
