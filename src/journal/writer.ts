/**
 * Committing (journal.md §2): groups of use cases become the next entry, which exists for whoever creates it first.
 * Everything below follows from three facts: a call may have taken effect though its answer was lost, another node may
 * have been faster, and the entry may have been created where an older one was removed.
 */

import { AuthorizerError } from "../errors.ts";
import { type CheckedCommit, checkCommit } from "../store/checks.ts";
import {
  decodeHead,
  type EncodedBody,
  type EntryHead,
  encodeBody,
  encodeItem,
  HEAD_BYTES,
  laterTime,
  newId,
} from "../store/log-entry.ts";
import type { Commit, EntryWrites } from "../store/port.ts";
import { expectationFailed } from "../store/refusals.ts";
import type { Replica } from "../store/replica.ts";
import { PART_LIFE } from "./checkpoints.ts";
import type { JournalCounters } from "./counters.ts";
import { type Engine, entryName, NothingDone } from "./engine.ts";
import { writeParts } from "./entry-parts.ts";
import { formGroup, mergeWrites, type Waiting } from "./groups.ts";
import { LateAnswer, outcomeUnknown } from "./late-answer.ts";
import type { Clock, LogNode } from "./node.ts";

const JITTER_MS = 20;
const RETRY_MS = 250;
/** Group weight relative to what an item can hold: texts grow when they are written as JSON in UTF-8. */
const FILL = 0.5;

/** The parts that a writer is built from. */
export interface WriterParts {
  readonly engine: Engine;
  readonly replica: Replica;
  readonly node: LogNode;
  readonly counters: JournalCounters;
  readonly clock: Clock;
  /** Time limit of a commit in milliseconds, from the first lost race or unknown outcome. */
  readonly commitTimeoutMs: number;
  /** Unix milliseconds, for the time that entries carry. */
  readonly wallClock: () => number;
  /** Called with each failure of the engine. */
  readonly onTrouble: (error: unknown) => void;
  /** Throws while the engine cannot be reached. */
  readonly assertContact: () => void;
  /** Called after each entry that was committed, before anybody is answered. */
  readonly onCommitted: () => void;
}

/** An entry that this node tries to create. */
interface Made {
  readonly head: EntryHead;
  readonly item: Buffer;
  readonly writes: EntryWrites;
}

/** The outcome of an attempt. `answered`: its callers were told that the outcome is unknown. */
type Outcome = "committed" | "lost" | "unknown" | "answered";

/** The state of an attempt's entry in the log. `gone`: its place is at or below the floor. */
type Fate = "created" | "present" | "unknown" | "gone";

/** The result of a create, and the floor afterwards where that is known. */
interface Created {
  readonly fate: Fate;
  readonly floor?: number | undefined;
}

/** Commits use cases to the log. */
export class LogWriter {
  readonly #parts: WriterParts;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  readonly #checking = new Set<Promise<unknown>>();
  #closed = false;
  #trying = 0;
  #late: LateAnswer | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
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
      return await this.#enqueue(await checked, {});
    } finally {
      this.#checking.delete(checked);
    }
  }

  /** Makes the other nodes hold back until the next entry of this one. */
  async takeTurn(): Promise<void> {
    this.#parts.assertContact();
    await this.#enqueue(await checkCommit({}), { turn: true });
  }

  /** Raises the format of the log to the newest that this program knows. */
  async raiseFormat(): Promise<void> {
    this.#parts.assertContact();
    await this.#enqueue(await checkCommit({}), { raise: true });
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
    if (this.#closed) throw closed();
    if (this.#late?.given === true) throw asUnavailable(undefined);
    return new Promise((resolve, reject) => {
      const { turn = false, raise = false } = asks;
      this.#waiting.push({ commit, turn, raise, resolve, reject, lostSince: undefined, parts: undefined });
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
      try {
        lost = await node.exclusive(async () => {
          assertContact();
          if (node.held > 0) await this.#follow();
          return node.held > 0 ? false : this.#commitNext();
        });
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      }
      if (lost) await clock.delay(Math.random() * JITTER_MS);
    }
  }

  /** True where another node was faster. */
  async #commitNext(): Promise<boolean> {
    const { engine, replica, node, counters } = this.#parts;
    const budget = (engine.budgets.entry - HEAD_BYTES) * FILL;
    const formed = formGroup(this.#waiting, (commit) => replica.holds(commit), budget);
    this.#waiting = [...formed.later];
    for (const { reject } of formed.refused) reject(expectationFailed());
    counters.conflicts += formed.refused.length;
    for (const { resolve } of formed.checked) resolve(node.revision);
    if (formed.group.length === 0) return false;
    try {
      return await this.#commitGroup(formed.group);
    } catch (error) {
      for (const { reject } of formed.group) reject(asUnavailable(error));
      return false;
    }
  }

  async #commitGroup(group: readonly Waiting[]): Promise<boolean> {
    const { counters, onCommitted } = this.#parts;
    const made = await this.#make(group);
    const outcome = await this.#settle(made, group);
    if (outcome === "committed") {
      counters.committed += 1;
      counters.useCases += group.length;
      onCommitted();
      for (const { resolve } of group) resolve(made.head.revision);
      return false;
    }
    if (outcome === "unknown") this.#answerUnknown(group);
    if (outcome !== "lost") return false;
    counters.lostRaces += 1;
    await this.#follow();
    this.#requeue(group);
    return true;
  }

  /** Puts those who lost back in front; each is checked against what was committed meanwhile. */
  #requeue(group: readonly Waiting[]): void {
    const { clock, commitTimeoutMs } = this.#parts;
    const again = group.filter((one) => {
      one.lostSince ??= clock.now();
      if (clock.now() - one.lostSince <= commitTimeoutMs) return true;
      one.reject(new AuthorizerError("conflict", "other nodes kept committing first; try again"));
      return false;
    });
    this.#waiting.unshift(...again);
  }

  async #follow(): Promise<void> {
    try {
      await this.#parts.node.follow();
    } catch (error) {
      this.#parts.onTrouble(error);
      throw error;
    }
  }

  /** The next entry, with its parts written where it needs some. */
  async #make(group: readonly Waiting[]): Promise<Made> {
    const writes = mergeWrites(group);
    const body = await encodeBody(writes);
    const turn = group.some((one) => one.turn);
    const raised = group.some((one) => one.raise === true) ? this.#parts.node.knownFormat : undefined;
    const fits = body.bytes.length + HEAD_BYTES <= this.#parts.engine.budgets.entry;
    const parts = fits ? undefined : await this.#partsOf(group, body.bytes);
    return this.#entryOf(writes, body, {
      ...(turn && { turn }),
      ...(raised !== undefined && { format: raised }),
      ...(parts !== undefined && { parts }),
    });
  }

  #entryOf(
    writes: EntryWrites,
    body: EncodedBody,
    more: Partial<Pick<EntryHead, "turn" | "parts" | "format">>,
  ): Made {
    const { node, wallClock } = this.#parts;
    const clock = new Date(wallClock()).toISOString();
    const head: EntryHead = {
      revision: node.revision + 1,
      id: newId(),
      prev: node.lastId,
      format: node.format,
      at: laterTime(clock, node.lastAt),
      node: node.id,
      digest: body.digest,
      ...more,
    };
    return { head, item: encodeItem(head, more.parts === undefined ? body.bytes : undefined), writes };
  }

  /** Parts of a group that is one commit are used again after a lost race, while they may be named. */
  async #partsOf(group: readonly Waiting[], body: Buffer) {
    const { engine, node } = this.#parts;
    const known = group.length === 1 ? group[0]!.parts : undefined;
    if (known !== undefined && known.base > node.revision + 1 - PART_LIFE) return known;
    try {
      const parts = await writeParts(engine, body, node.revision);
      if (group.length === 1) group[0]!.parts = parts;
      return parts;
    } catch (error) {
      this.#parts.onTrouble(error);
      throw error;
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
    let { fate, floor: known }: Created = await this.#create(made, true);
    for (;;) {
      if (fate === "unknown") {
        const item = await ask(() => engine.read(entryName(revision)));
        const floor = await ask(() => engine.floor());
        if (item !== undefined || floor >= revision) {
          fate = floor >= revision ? "gone" : "present";
          continue;
        }
        if (this.#closed) throw outcomeUnknown();
        answer.giveIfDue();
        // Once nobody waits for it any more, an empty entry takes the place, so that the log can go on.
        if (answer.given && attempts.length === 1) attempts.push(await this.#empty());
        winner = attempts.at(-1)!;
        ({ fate, floor: known } = await this.#create(winner, false));
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

  async #empty(): Promise<Made> {
    const writes: EntryWrites = { put: [], delete: [] };
    return this.#entryOf(writes, await encodeBody(writes), {});
  }

  async #create({ head, item }: Made, isFirst: boolean): Promise<Created> {
    const { engine } = this.#parts;
    const name = entryName(head.revision);
    try {
      const { created, floor } = (await engine.createAndFloor?.(name, item)) ?? {
        created: await engine.create(name, item),
        floor: undefined,
      };
      return created ? { fate: "created", floor } : { fate: "present" };
    } catch (error) {
      this.#parts.onTrouble(error);
      if (isFirst && error instanceof NothingDone) throw error;
      return { fate: "unknown" };
    }
  }

  /** Asks the engine until it answers. */
  async #ask<T>(call: () => Promise<T>, onFailure: () => void): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        this.#parts.onTrouble(error);
        if (this.#closed) throw outcomeUnknown();
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

function closed(): AuthorizerError {
  return new AuthorizerError("unavailable", "The store is closed.");
}

function asUnavailable(cause: unknown): unknown {
  if (cause instanceof AuthorizerError) return cause;
  const reason = cause instanceof NothingDone ? cause.message : "the database cannot be reached";
  return new AuthorizerError("unavailable", `Nothing was changed: ${reason}.`, {
    cause,
    retryAfterSeconds: 1,
  });
}
