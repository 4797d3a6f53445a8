/**
 * Decides answered questions again under a candidate, beside the service (spec/decision-log §4.2). It cannot change an
 * answer, because it begins when the answer is made; and it holds up no other request for longer than a slice.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import type { Decided } from "../decision-log.ts";
import type { Decisions, EvaluationRequest, EvaluationShadow } from "../decisions.ts";
import {
  askAgain,
  describeQuestion,
  evaluationAgain,
  reasonOf,
  type ShadowQuestion,
  type ShadowReason,
  type Telling,
} from "./shadow-question.ts";
import type { ShadowCandidate, ShadowDifference, ShadowReport } from "./shadow-report.ts";

/** Longest turn of work between two turns of the event loop, in milliseconds. */
const SLICE_MS = 0.25;
/** Most questions that wait. More are not decided again, and counted. */
const MOST_WAITING = 1_000;
/** Most of them that hold the body of a request, which may be large. */
const MOST_BODIES = 32;
/** Differences that are kept. */
const MOST_KEPT = 1_000;

/** Decides without audit, log and counters of the service, one question after the other. */
export interface QuietDecisions {
  readonly decisions: Decisions;
  /** The last decision. Ask at once after an answer. */
  last(): Decided | undefined;
}

/** The candidate's side of the comparison. */
export interface OpenCandidate extends QuietDecisions {
  readonly about: ShadowCandidate;
  /** Frees what it holds. */
  close(): Promise<void>;
}

/** Options of {@link Shadow}. */
interface ShadowOptions {
  /** Share of the decisions that are decided again: more than 0, at most 1. */
  readonly share: number;
  /** Decides as the service does, to find the statements that decided. */
  readonly witness: QuietDecisions;
  /** Tells the parts of a question; default: as they are. */
  readonly tell?: Telling;
  /** At least 0 and less than 1; default by chance. */
  readonly random?: () => number;
}

/** Plain numbers, read when metrics are scraped. */
export interface ShadowCounters {
  /** Decisions that were made again. */
  decisions: number;
  /** Decisions that were drawn, and not made again because too many waited. */
  dropped: number;
  /** Decisions that could not be made again. */
  failed: number;
  /** Decisions that the candidate changes, by its effect. */
  readonly differences: Record<Effect, number>;
  /** True while a candidate is loaded. */
  loaded: boolean;
}

/** Port: takes the questions of the use cases. */
export interface ShadowTap extends EvaluationShadow {
  /** Takes a question whose answer is made. */
  answered(question: ShadowQuestion, allowed: boolean): void;
}

interface Waiting {
  readonly question: ShadowQuestion;
  readonly allowed: boolean;
  readonly at: number;
}

/** Compares the service with a candidate. */
export class Shadow implements ShadowTap {
  readonly counters: ShadowCounters = {
    decisions: 0,
    dropped: 0,
    failed: 0,
    differences: { allow: 0, neutral: 0, deny: 0 },
    loaded: false,
  };
  readonly #options: ShadowOptions;
  readonly #random: () => number;
  #candidate: OpenCandidate | undefined;
  #waiting: Waiting[] = [];
  #bodies = 0;
  #running = false;
  #kept: ShadowDifference[] = [];
  /** Counts since the candidate was loaded. */
  #sums = noSums();
  #error: string | undefined;

  constructor(options: ShadowOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  takes(): boolean {
    if (this.#candidate === undefined || this.#random() >= this.#options.share) return false;
    if (this.#waiting.length < MOST_WAITING) return true;
    this.#drop();
    return false;
  }

  answered(question: ShadowQuestion, allowed: boolean): void {
    const hasBody = question.kind === "request" && question.request.request.body !== undefined;
    if (hasBody && this.#bodies >= MOST_BODIES) {
      this.#drop();
      return;
    }
    if (hasBody) this.#bodies++;
    this.#waiting.push({ question, allowed, at: Date.now() });
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  evaluated(request: EvaluationRequest, allowed: boolean): void {
    this.answered(evaluationAgain(request), allowed);
  }

  /** Compares with another candidate from now on; all counts of the report begin anew. */
  async replace(candidate: OpenCandidate): Promise<void> {
    const former = this.#candidate;
    this.#candidate = candidate;
    this.#waiting = [];
    this.#bodies = 0;
    this.#kept = [];
    this.#sums = noSums();
    this.#error = undefined;
    this.counters.loaded = true;
    await former?.close();
  }

  /** Notes why a newer candidate is not used. */
  failed(reason: string): void {
    this.#error = reason;
  }

  /** The comparison since the candidate was loaded. */
  report(): ShadowReport {
    return {
      candidate: this.#candidate?.about ?? null,
      ...(this.#error !== undefined && { error: this.#error }),
      share: this.#options.share,
      ...this.#sums,
      differences: this.#kept.toReversed(),
    };
  }

  /** Ends the comparison. */
  async close(): Promise<void> {
    const former = this.#candidate;
    this.#candidate = undefined;
    this.#waiting = [];
    this.counters.loaded = false;
    await former?.close();
    await this.#options.witness.decisions.close();
  }

  #drop(): void {
    this.counters.dropped++;
    this.#sums.dropped++;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
      const end = performance.now() + SLICE_MS;
      // Taken from a copy: shifting a long list for each would cost more than a decision.
      const turn = this.#waiting;
      let done = 0;
      while (done < turn.length && turn === this.#waiting && performance.now() < end) {
        await this.#compare(turn[done++] as Waiting);
      }
      if (turn === this.#waiting) this.#waiting = turn.slice(done);
    }
    this.#running = false;
  }

  async #compare({ question, allowed, at }: Waiting): Promise<void> {
    const candidate = this.#candidate;
    if (candidate === undefined) return;
    if (question.kind === "request" && question.request.request.body !== undefined) this.#bodies--;
    try {
      const answer = askAgain(candidate.decisions, question);
      const again = answer instanceof Promise ? await answer : answer;
      if (candidate !== this.#candidate) return;
      this.counters.decisions++;
      this.#sums.decisions++;
      if (again !== allowed) await this.#note(candidate, question, { allowed, at });
    } catch {
      this.counters.failed++;
      this.#sums.failed++;
    }
  }

  async #note(
    candidate: OpenCandidate,
    question: ShadowQuestion,
    { allowed, at }: Pick<Waiting, "allowed" | "at">,
  ): Promise<void> {
    const decided = candidate.last();
    if (decided === undefined) return;
    const now = reasonOf(decided);
    const before = now.statement === undefined ? await this.#witnessed(question) : undefined;
    if (candidate !== this.#candidate) return;
    this.counters.differences[now.effect]++;
    if (allowed) this.#sums.narrower++;
    else this.#sums.wider++;
    const { statement } = before ?? now;
    this.#kept.push({
      at: new Date(at).toISOString(),
      ...describeQuestion(question, decided, this.#options.tell ?? ((_part, value) => value)),
      change: allowed ? "narrower" : "wider",
      effect: now.effect,
      ...(statement !== undefined && { statement, side: before === undefined ? "added" : "removed" }),
    });
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
  }

  /** The reason of the service's own answer. */
  async #witnessed(question: ShadowQuestion): Promise<ShadowReason | undefined> {
    const { witness } = this.#options;
    await askAgain(witness.decisions, question);
    const decided = witness.last();
    return decided && reasonOf(decided);
  }
}

function noSums() {
  return { decisions: 0, dropped: 0, failed: 0, wider: 0, narrower: 0 };
}
