/**
 * Committing (spec/journal §2): groups of use cases become the next entry, which exists for whoever creates it first.
 * Everything below follows from three facts: a call may have taken effect though its answer was lost, another node may
 * have been faster, and the entry may have been created where an older one was removed.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { type CheckedCommit, checkCommit } from "../store/checks.ts";
import { decodeHead, HEAD_BYTES } from "../store/log-entry.ts";
import { type Commit, isCheck } from "../store/port.ts";
import { expectationFailed } from "../store/refusals.ts";
import type { Replica } from "../store/replica.ts";
import type { Clock } from "./clock.ts";
import { LogMissing } from "./copy-condition.ts";
import type { JournalCounters } from "./counters.ts";
import { type Created, createEntry } from "./create-entry.ts";
import { entryName, NothingDone } from "./engine.ts";
import { EntryMaker, FILL, type Made, type MakerParts } from "./entry-maker.ts";
import { readBody } from "./entry-parts.ts";
import { formGroup, type Waiting } from "./groups.ts";
import { LateAnswer } from "./late-answer.ts";
import type { Proofs } from "./proof.ts";
import { asUnavailable, outcomeUnknown, writerClosed } from "./write-refusals.ts";

const JITTER_MS = 20;
const RETRY_MS = 250;
/** Share of the time limit in which lost races are tried again: the rest is for the outcome of the last attempt. */
const FOR_RACES = 0.8;
/** Lost races after which a commit that is larger than an item takes a turn. */
const LOST_BEFORE_TURN = 3;
/** A commit that changes nothing. */
const EMPTY: CheckedCommit = { expect: [], put: [], delete: [] };

/** The parts that a writer is built from. */
interface WriterParts extends MakerParts {
  readonly replica: Replica;
  readonly counters: JournalCounters;
  readonly clock: Clock;
  readonly proofs: Proofs;
  /** Time limit of a commit in milliseconds, from the first lost race or unknown outcome. */
  readonly commitTimeoutMs: number;
  /** Throws while the engine cannot be reached. */
  readonly assertContact: () => void;
  /** Called after each entry that was committed, before anybody is answered. */
  readonly onCommitted: () => void;
}

/** The outcome of an attempt. `answered`: its callers were told that the outcome is unknown. */
type Outcome = "committed" | "lost" | "unknown" | "answered";

/** Commits use cases to the log. */
export class LogWriter {
  readonly #parts: WriterParts;
  readonly #maker: EntryMaker;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  readonly #checking = new Set<Promise<unknown>>();
  #closed = false;
  #trying = 0;
  #late: LateAnswer | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#maker = new EntryMaker(parts);
  }

  /** Revision of the entry that is being created: its outcome is found out without being told. 0: none. */
  get trying(): number {
    return this.#trying;
  }

  /** Commits; resolves with the revision, throws as {@link Store.commit} and "outcome_unknown". */
  async commit(commit: Commit): Promise<number> {
    this.#parts.assertContact();
    const checked = checkCommit(commit);
    this.#checking.add(checked);
    try {
      const asked = await checked;
      if (isCheck(asked)) return await this.#parts.proofs.check(asked);
      return await this.#enqueue(asked, {});
    } finally {
      this.#checking.delete(checked);
    }
  }

  /** Makes the other nodes hold back until the next entry of this one. */
  async takeTurn(): Promise<void> {
    this.#parts.assertContact();
    await this.#enqueue(EMPTY, { turn: true });
  }

  /** Raises the format of the log to the newest that this program knows. */
  async raiseFormat(): Promise<void> {
    this.#parts.assertContact();
    await this.#enqueue(EMPTY, { raise: true });
  }

  /** Refuses those whose entry has not been sent. */
  refuseWaiting(error: AuthorizerError): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Waits for what is under way, for a bounded time; what the engine leaves open is answered as unknown. */
  async close(): Promise<void> {
    const { clock, commitTimeoutMs } = this.#parts;
    const finished = Promise.allSettled([...this.#checking]).then(() => this.#running);
    await Promise.race([finished, clock.delay(commitTimeoutMs)]);
    this.#closed = true;
    await this.#running;
  }

  #enqueue(commit: CheckedCommit, asks: { turn?: true; raise?: true }): Promise<number> {
    if (this.#closed) throw writerClosed();
    if (this.#late?.given === true) throw asUnavailable(undefined);
    return new Promise((resolve, reject) => {
      const { turn = false, raise = false } = asks;
      this.#waiting.push({ commit, turn, raise, resolve, reject, lostSince: undefined, races: 0 });
      this.#start();
    });
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Something may have come after the last look.
      if (this.#waiting.length > 0) this.#start();
    });
  }

  async #run(): Promise<void> {
    const { node, clock, assertContact } = this.#parts;
    while (this.#waiting.length > 0) {
      if (node.held > 0) await clock.delay(Math.min(node.held, JITTER_MS));
      let lost = false;
      await this.#prepare(this.#waiting[0]!);
      try {
        lost = await node.exclusive(async () => {
          assertContact();
          await this.#verify();
          if (node.held > 0) await this.#follow();
          return node.held > 0 ? false : this.#commitNext();
        });
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0)) reject(asUnavailable(error));
      }
      if (lost) await clock.delay(Math.random() * JITTER_MS);
    }
  }

  /** Before the node's turn to commit, in which it does not follow the log. */
  async #prepare(next: Waiting): Promise<void> {
    const { replica, assertContact } = this.#parts;
    // It will be refused, without a word to the engine.
    if (!replica.holds(next.commit)) return;
    try {
      assertContact();
      await this.#maker.prepare(next);
    } catch (error) {
      this.#waiting = this.#waiting.filter((one) => one !== next);
      next.reject(asUnavailable(error));
    }
  }

  /** True where another node was faster. */
  async #commitNext(): Promise<boolean> {
    const { engine, replica, counters } = this.#parts;
    const budget = (engine.budgets.entry - HEAD_BYTES) * FILL;
    const formed = formGroup(this.#waiting, (commit) => replica.holds(commit), budget);
    this.#waiting = [...formed.later];
    for (const { reject } of formed.refused) reject(expectationFailed());
    counters.conflicts += formed.refused.length;
    if (formed.group.length === 0) return false;
    try {
      return await this.#commitGroup(formed.group);
    } catch (error) {
      for (const { reject } of formed.group) reject(asUnavailable(error));
      return false;
    }
  }

  async #commitGroup(group: readonly Waiting[]): Promise<boolean> {
    const { counters, onCommitted, proofs } = this.#parts;
    const made = await this.#maker.make(group);
    // What is sent to another log than the entry was made for could land there later.
    if (this.#parts.node.isDoubted || group.some((one) => this.#isLate(one))) {
      this.#requeue(group);
      return false;
    }
    const mark = proofs.mark();
    const outcome = await this.#settle(made, group);
    if (outcome === "committed") {
      proofs.proven(mark);
      counters.committed += 1;
      counters.useCases += group.length;
      onCommitted();
      for (const { resolve } of group) resolve(made.head.revision);
      return false;
    }
    if (outcome === "unknown") this.#answerUnknown(group);
    if (outcome !== "lost") return false;
    counters.lostRaces += 1;
    // The log may be another one since: those who wait are answered once the copy is verified.
    if (await this.#follow()) proofs.proven(mark);
    for (const one of group) {
      one.lostSince ??= this.#parts.clock.now();
      one.races += 1;
    }
    this.#requeue(group);
    return true;
  }

  /** True where too little of the time limit is left for another attempt. */
  #isLate({ lostSince }: Waiting): boolean {
    const { clock, commitTimeoutMs } = this.#parts;
    return lostSince !== undefined && clock.now() - lostSince > commitTimeoutMs * FOR_RACES;
  }

  /**
   * Puts those who lost back in front, unless it is too late; each is checked against what was committed meanwhile. One
   * that takes long to make would lose to small commits for ever: it asks the other nodes to hold back.
   */
  #requeue(group: readonly Waiting[]): void {
    const again = group.filter((one) => {
      if (!this.#isLate(one)) return true;
      one.reject(new AuthorizerError("conflict", "other nodes kept committing first; try again"));
      return false;
    });
    this.#waiting.unshift(...again);
    if (again.some(({ body, races }) => body !== undefined && races === LOST_BEFORE_TURN)) {
      const told = { resolve: () => {}, reject: () => {} };
      this.#waiting.unshift({ commit: EMPTY, turn: true, lostSince: undefined, races: 0, ...told });
    }
  }

  async #follow(): Promise<boolean> {
    try {
      return await this.#parts.node.follow();
    } catch (error) {
      this.#parts.onTrouble(error);
      throw error;
    }
  }

  /** Nothing is committed behind entries that the log lost: who waits decided on a state with them. */
  async #verify(): Promise<void> {
    const { node } = this.#parts;
    const { lastId } = node;
    try {
      await node.verifyIfDoubted();
      if (node.lastId === lastId) return;
      await node.follow();
      throw new NothingDone("the database lost commits, and this node has started anew");
    } catch (error) {
      this.#parts.onTrouble(error);
      throw asUnavailable(error);
    }
  }

  /** Creates an entry and finds out what became of it; its callers wait until commit_timeout at most. */
  async #settle(made: Made, group: readonly Waiting[]): Promise<Outcome> {
    const { clock, commitTimeoutMs } = this.#parts;
    const now = clock.now();
    // Races that were lost before count.
    const end = Math.min(...group.map(({ lostSince = now }) => lostSince)) + commitTimeoutMs;
    const answer = new LateAnswer(clock, end, (isFirst) => {
      if (isFirst) this.#answerUnknown(group);
      // Those behind were not sent.
      for (const { reject } of this.#waiting.splice(0)) reject(asUnavailable(undefined));
    });
    this.#trying = made.head.revision;
    this.#late = answer;
    try {
      return await this.#findOut(made, answer);
    } finally {
      this.#trying = 0;
      this.#late = undefined;
      answer.stop();
    }
  }

  /** Nothing else is committed before it is known what became of an entry. */
  async #findOut(made: Made, answer: LateAnswer): Promise<Outcome> {
    const { engine, node, clock } = this.#parts;
    const { revision } = made.head;
    const ask = <T>(call: () => Promise<T>): Promise<T> => this.#ask(call, () => answer.giveIfDue());
    const attempts = [made];
    let winner = made;
    /** Doubts before what is known of the entry was asked: that may have changed since where there are more. */
    let { doubts } = node;
    let { fate, floor: known }: Created = await createEntry(this.#parts, made, true);
    for (;;) {
      if (fate === "unknown") {
        doubts = node.doubts;
        const sent = node.moment();
        const item = await ask(() => engine.read(entryName(revision)));
        const floor = await ask(() => engine.floor());
        if (item !== undefined || floor >= revision) {
          fate = floor >= revision ? "gone" : "present";
          continue;
        }
        if (this.#closed) throw outcomeUnknown();
        answer.giveIfDue();
        if (!(await ask(() => this.#follows(made, false)))) {
          if (node.revision < revision) return answer.given ? "answered" : "unknown";
          fate = "gone";
          continue;
        }
        // What was read before a doubt proves nothing after it, also where the log has been verified meanwhile.
        if (node.doubts !== doubts) continue;
        node.proved(sent);
        // Once nobody waits for it any more, an empty entry takes the place, so that the log can go on.
        if (answer.given && attempts.length === 1) attempts.push(await this.#maker.empty());
        winner = attempts.at(-1)!;
        ({ fate, floor: known } = await createEntry(this.#parts, winner, false));
        if (fate === "unknown") await clock.delay(RETRY_MS);
      } else if (fate === "present") {
        const item = await ask(() => engine.read(entryName(revision)));
        const floor = await ask(() => engine.floor());
        if (item === undefined || floor >= revision) {
          fate = "gone";
          continue;
        }
        const { id } = decodeHead(item);
        const own = attempts.find(({ head }) => head.id === id);
        if (own === undefined) return answer.given ? "answered" : "lost";
        winner = own;
        fate = "created";
      } else if (fate === "created") {
        const floorAfter = known ?? (await ask(() => engine.floor()));
        known = undefined;
        if (floorAfter >= revision) {
          fate = "gone";
          continue;
        }
        if (!(await ask(() => this.#follows(made, true)))) {
          if (node.revision < revision) return answer.given ? "answered" : "unknown";
          fate = "gone";
          continue;
        }
        if (node.doubts !== doubts) {
          fate = "unknown";
          continue;
        }
        // The outcome is known: a large entry may take the replica longer than an engine may take to answer.
        answer.stop();
        await node.apply(winner.head, winner.writes, winner.item.length);
        return answer.given ? "answered" : "committed";
      } else {
        await ask(() => node.load());
        if (node.recent.has(made.head.id)) return answer.given ? "answered" : "committed";
        if (node.revision < revision) {
          fate = "unknown";
          continue;
        }
        if (answer.given) return "answered";
        return node.recent.covers(revision) ? "lost" : "unknown";
      }
    }
  }

  /**
   * False where the entry cannot be the next one: the log lost the one before, or parts of this one, and the copy has been
   * made anew; or it has gone beyond the place, and the copy with it.
   */
  async #follows({ head, item: whole, doubts }: Made, isCreated: boolean): Promise<boolean> {
    const { engine, node } = this.#parts;
    await node.verifyIfDoubted();
    if (node.revision >= head.revision) return false;
    const mayLackParts = head.parts !== undefined && node.doubts !== doubts;
    const isWhole = !mayLackParts || (await readBody(engine, head, whole)) !== undefined;
    if (node.lastId === head.prev && isWhole) return true;
    // No node that follows this log could apply it, nor get past it. It may be gone, and another's in its place.
    const item = isCreated ? await engine.read(entryName(head.revision)) : undefined;
    if (item !== undefined && decodeHead(item).id === head.id)
      await engine.remove([entryName(head.revision)]);
    await node.follow();
    return false;
  }

  /** Asks the engine until it answers. */
  async #ask<T>(call: () => Promise<T>, onFailure: () => void): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        this.#parts.onTrouble(error);
        // Where the log is missing, nothing is to be found out, and the node has to do something else.
        if (this.#closed || error instanceof LogMissing) throw outcomeUnknown();
        onFailure();
        await this.#parts.clock.delay(RETRY_MS);
      }
    }
  }

  #answerUnknown(group: readonly Waiting[]): void {
    this.#parts.counters.outcomeUnknown += group.length;
    for (const { reject } of group) reject(outcomeUnknown());
  }
}
