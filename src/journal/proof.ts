/**
 * Proofs that a copy is the newest (spec/journal §2.8): what is answered without a commit is answered from a state that holds
 * the newest entry that was found by a read sent after the request came. Nothing else proves that: neither contact a
 * moment ago, nor that no notification came, nor a clock.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CheckedCommit } from "../store/checks.ts";
import { expectationFailed } from "../store/refusals.ts";
import type { Replica } from "../store/replica.ts";
import type { Clock } from "./clock.ts";
import type { JournalCounters } from "./counters.ts";
import type { Engine } from "./engine.ts";
import { type CopyPosition, type Looked, lookAt } from "./look.ts";
import type { LogNode } from "./node.ts";
import { asUnavailable, writerClosed } from "./write-refusals.ts";

/** Callers that wait for a proof at once, and the part of them that one caller may be. */
const MOST_WAITING = 1_000;
const MOST_OF_ONE = MOST_WAITING / 2;

/** The parts of {@link Proofs}. */
interface ProofParts {
  readonly engine: Engine;
  readonly replica: Replica;
  readonly node: LogNode;
  readonly counters: JournalCounters;
  readonly clock: Clock;
  /** Longest wait in milliseconds. */
  readonly commitTimeoutMs: number;
  /** Least milliseconds between the beginnings of two looks. */
  readonly spacingMs: () => number;
  /** Throws while the engine cannot be reached. */
  readonly assertContact: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** A caller that waits for a proof. */
interface Waiting {
  /** Those with a number up to the mark of a look came before it was sent. */
  readonly number: number;
  readonly caller: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Proves for all who wait: one look is under way, and who comes meanwhile waits for the next one. */
export class Proofs {
  readonly #parts: ProofParts;
  readonly #waiting = new Set<Waiting>();
  /** Number of those who wait, by caller. */
  readonly #ofCaller = new Map<string, number>();
  #number = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(parts: ProofParts) {
    this.#parts = parts;
  }

  /**
   * Resolves once a read that was sent after the call has shown that the copy holds the newest entry.
   * @param caller one caller may be half of those who wait
   * @throws AuthorizerError "unavailable" where there is no proof within the time of a commit, or too many wait
   */
  prove(caller = ""): Promise<void> {
    const { assertContact, clock, commitTimeoutMs } = this.#parts;
    if (this.#closed) return Promise.reject(writerClosed());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    try {
      assertContact();
      this.#assertRoom(caller);
    } catch (error) {
      return Promise.reject(error);
    }
    const waiting = { number: ++this.#number, caller, resolve, reject };
    this.#waiting.add(waiting);
    this.#ofCaller.set(caller, (this.#ofCaller.get(caller) ?? 0) + 1);
    const stop = clock.alarm?.(commitTimeoutMs, () =>
      this.#end(waiting, () => reject(asUnavailable(undefined))),
    );
    this.#running ??= this.#run();
    return promise.finally(() => stop?.());
  }

  /**
   * Checks a commit that writes nothing on a state that is proved so. Returns the revision of that state.
   * @throws AuthorizerError "conflict" where something that it read was written since, and as {@link prove}
   */
  async check(commit: CheckedCommit): Promise<number> {
    const { replica, node, counters } = this.#parts;
    await this.prove(commit.actor);
    if (replica.holds(commit)) return node.revision;
    counters.conflicts += 1;
    throw expectationFailed();
  }

  /** Marks those who wait now: what is sent from now on proves for them. */
  mark(): number {
    return this.#number;
  }

  /** Answers those before a mark: something sent after it has shown that the copy holds the newest entry. */
  proven(mark: number): void {
    for (const one of this.#waiting) {
      if (one.number <= mark) this.#end(one, one.resolve);
    }
  }

  /** Refuses all who wait, and all who come. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#refuse(writerClosed());
    await this.#running;
  }

  #assertRoom(caller: string): void {
    const isFull = this.#waiting.size >= MOST_WAITING || (this.#ofCaller.get(caller) ?? 0) >= MOST_OF_ONE;
    if (!isFull) return;
    throw new AuthorizerError("unavailable", "Too many changes wait for an answer of the database.", {
      retryAfterSeconds: 1,
    });
  }

  #end(one: Waiting, answer: () => void): void {
    if (!this.#waiting.delete(one)) return;
    const left = (this.#ofCaller.get(one.caller) ?? 1) - 1;
    if (left === 0) this.#ofCaller.delete(one.caller);
    else this.#ofCaller.set(one.caller, left);
    answer();
  }

  #refuse(error: unknown): void {
    for (const one of this.#waiting) this.#end(one, () => one.reject(error));
  }

  async #run(): Promise<void> {
    const { clock, spacingMs, onTrouble } = this.#parts;
    while (this.#waiting.size > 0) {
      const wait = this.#lookedAt + spacingMs() - clock.now();
      if (wait > 0) await clock.delay(wait);
      const mark = this.mark();
      this.#lookedAt = clock.now();
      try {
        if (this.#waiting.size > 0 && (await this.#look())) this.proven(mark);
      } catch (error) {
        onTrouble(error);
        this.#refuse(asUnavailable(error));
      }
    }
    this.#running = undefined;
  }

  /** One look, beside what commits; where the copy has to move, it moves in its turn. False where nobody waits any more. */
  async #look(): Promise<boolean> {
    const { node } = this.#parts;
    const found = await this.#lookAtCopy();
    if (found === "newest") return true;
    return node.exclusive(async () => {
      await node.verifyIfDoubted();
      for (let next: Looked = found; this.#waiting.size > 0; ) {
        if (next === "other") await node.verify();
        await node.follow();
        next = await this.#lookAtCopy();
        if (next === "newest") return true;
      }
      return false;
    });
  }

  async #lookAtCopy(): Promise<Looked> {
    const { engine, node } = this.#parts;
    const at = { revision: node.revision, id: node.lastId };
    const sent = node.moment();
    const found = await lookAt(engine, at);
    if (found !== "newest") return found;
    if (node.revision === at.revision && node.lastId === at.id) {
      node.proved(sent);
      return "newest";
    }
    // What it took meanwhile may have been read before the database was put back.
    return !node.isDoubted && holds(node, at) ? "newest" : "moved";
  }
}

/** True where a copy that moved still holds the entry that was looked at: it has gone on, and was not made anew. */
function holds(node: LogNode, { revision, id }: CopyPosition): boolean {
  return revision === 0 || node.recent.has(id);
}
