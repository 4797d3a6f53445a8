/** One decision about a loaded user: outcome, explanation, counting, audit. */

import type { CompiledPolicies } from "../../engine/compile.ts";
import { decide, decideInSteps, type EngineRequest, isShort } from "../../engine/decide.ts";
import { type ExplainedOutcome, explain, explainInSteps, explanationSize } from "../../engine/explain.ts";
import type { CompiledStatement } from "../../engine/statement.ts";
import type { ConditionFields, Explanation, Outcome } from "../../model/decision.ts";
import type { Via } from "../../model/policy.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import type { AskedResource, AskingCall, DecisionBatch, DecisionLog } from "../decision-log.ts";
import type { CheckAnswer, DecisionAudit, DecisionCounters, DecisionRecord, Entrance } from "../decisions.ts";

/** A decision with at most this many statement visits is explained in one go: a few milliseconds. */
const SHORT_EXPLANATION = 2_000;

/** The caller, for records and counters. */
export interface Asker {
  readonly entrance: Entrance;
  readonly requestId: string;
  readonly explain: boolean;
  /** The budget of the work, which is then done in slices. Without it, only long work has a budget. */
  readonly budget?: WorkBudget;
  /** The call, for the decision log. */
  readonly call?: AskingCall;
  /** The only resource as it was asked for, for the decision log. */
  readonly resource?: AskedResource;
  /** The record that the decision is a part of. */
  readonly batch?: DecisionBatch;
}

/** The subject of a decision, for records. */
export interface DecisionSubject
  extends Pick<DecisionRecord, "user" | "credential" | "required" | "operation"> {
  readonly context: ConditionFields;
  /** Absent if no policies were read. */
  readonly basis?: Basis;
  /** See `decidedBy` of `EngineRequest`. */
  readonly decidedBy?: CompiledStatement[];
  /** Type of a subject that is no user. */
  readonly subjectType?: string;
  /** Why nothing was evaluated. */
  readonly error?: string;
}

/** The id of a recorded decision, and when its answer may go out. */
export interface Recorded {
  readonly id: string;
  /** Resolves when the record is on disk; undefined if the answer need not wait for it. */
  readonly written: Promise<void> | undefined;
}

/** The input of a decision. */
export interface Basis {
  readonly policies: CompiledPolicies;
  /** The ways in which a policy reaches the user. */
  readonly via: (policy: string) => readonly Via[];
  readonly cache: "hit" | "miss";
}

/** Options of {@link Deciding}. */
export interface DecidingOptions {
  readonly counters: DecisionCounters;
  readonly audit: DecisionAudit;
  /** Absent if no decisions are logged. */
  readonly log?: DecisionLog | undefined;
  readonly policiesVersion: string;
  readonly nextId: () => string;
  readonly now: () => Date;
  /** Runs long decisions and explanations. */
  readonly scheduler: Scheduler;
  readonly workBudget: () => WorkBudget;
}

/** Makes decisions, counts them and audits them. */
export class Deciding {
  readonly #options: DecidingOptions;

  constructor(options: DecidingOptions) {
    this.#options = options;
  }

  /** True when every allow needs an id and a record. */
  get auditsAllows(): boolean {
    return this.#options.audit.decisions === "all";
  }

  /** True when every refusal needs a record. */
  get auditsRefusals(): boolean {
    return this.#options.audit.decisions !== "none";
  }

  /** True when decisions are logged. */
  get logs(): boolean {
    return this.#options.log !== undefined;
  }

  /**
   * Decides; synchronous except for long explanations and where the answer waits for its record. An allow without
   * record and explanation gets no id.
   */
  check(basis: Basis, request: EngineRequest, asker: Asker): CheckAnswer | Promise<CheckAnswer> {
    const asked = this.#options.log === undefined ? request : { ...request, decidedBy: [] };
    if (asker.explain) return this.#explained(basis, asked, asker);
    if (asker.budget !== undefined || !isShort(request.required))
      return this.#decidedInSteps(basis, asked, asker);
    return this.#answered(decide(basis.policies, asked), asked, basis, asker);
  }

  #decidedInSteps(basis: Basis, request: EngineRequest, asker: Asker): Promise<CheckAnswer> {
    const { scheduler, workBudget } = this.#options;
    const budget = asker.budget ?? workBudget();
    return scheduler
      .run(decideInSteps(basis.policies, request), { budget })
      .then((outcome) => this.#answered(outcome, request, basis, asker));
  }

  #answered(
    outcome: Outcome,
    request: EngineRequest,
    basis: Basis,
    asker: Asker,
  ): CheckAnswer | Promise<CheckAnswer> {
    this.#options.counters.decisions[asker.entrance][outcome.effect]++;
    const { audit, log } = this.#options;
    if (log === undefined && outcome.effect === "allow" && audit.decisions !== "all") return outcome;
    return this.#recorded(outcome, { ...request, basis }, asker);
  }

  /** The answer about a user who does not exist. */
  unknownUser(request: EngineRequest, asker: Asker): CheckAnswer | Promise<CheckAnswer> {
    this.#options.counters.decisions[asker.entrance].neutral++;
    const outcome = { effect: "neutral", message: "insufficient permissions: unknown user" } as const;
    return this.#recorded(
      { ...outcome, reason: "unknown_user" },
      { ...request, error: "unknown user" },
      asker,
    );
  }

  #recorded(answer: CheckAnswer, subject: DecisionSubject, asker: Asker): CheckAnswer | Promise<CheckAnswer> {
    const { effect, message } = answer;
    const outcome: Outcome = message === undefined ? { effect } : { effect, message };
    const { id, written } = this.#noted(outcome, subject, asker);
    const whole = { ...answer, id };
    return written === undefined ? whole : written.then(() => whole);
  }

  /** Counts and records a decision that other code made. */
  record(outcome: Outcome, subject: DecisionSubject, asker: Omit<Asker, "explain">): Recorded {
    this.#options.counters.decisions[asker.entrance][outcome.effect]++;
    return this.#noted(outcome, subject, asker);
  }

  /** Records a refusal for which no policy was read and which counts as no decision. */
  refused(id: string, subject: DecisionSubject, asker: Omit<Asker, "explain">): Promise<void> | undefined {
    return this.#logged(id, { effect: "neutral" }, subject, asker);
  }

  #noted(outcome: Outcome, subject: DecisionSubject, asker: Omit<Asker, "explain">): Recorded {
    const id = this.#audited(outcome, subject, asker);
    return { id, written: this.#logged(id, outcome, subject, asker) };
  }

  #logged(
    id: string,
    outcome: Outcome,
    subject: DecisionSubject,
    { entrance, requestId, call, resource, batch }: Omit<Asker, "explain">,
  ): Promise<void> | undefined {
    const { log } = this.#options;
    if (log === undefined) return undefined;
    const { required, decidedBy = [], basis, subjectType } = subject;
    if (batch !== undefined && required !== null && "action" in required) {
      const { user, context } = subject;
      const { action } = required;
      batch.about({ user, action, basis, context, ...(subjectType === undefined ? {} : { subjectType }) });
      batch.add(outcome, required.resource, resource, decidedBy[0]);
      return undefined;
    }
    if (!log.wants(outcome.effect)) return undefined;
    return log.decided({
      ...subject,
      id,
      entrance,
      requestId,
      call,
      basis,
      outcome,
      decidedBy,
      ...(resource && { resource }),
    });
  }

  #audited(outcome: Outcome, subject: DecisionSubject, asker: Omit<Asker, "explain">): string {
    const id = this.#options.nextId();
    const { audit } = this.#options;
    if (audit.decisions === "all" || (audit.decisions === "denied" && outcome.effect !== "allow")) {
      const { user, credential, required, operation } = subject;
      const { entrance, requestId } = asker;
      audit.decision({
        id,
        request_id: requestId,
        entrance,
        user,
        ...(credential === undefined ? {} : { credential }),
        ...(operation === undefined ? {} : { operation }),
        required,
        ...outcome,
      });
    }
    return id;
  }

  #explained(basis: Basis, request: EngineRequest, asker: Asker): CheckAnswer | Promise<CheckAnswer> {
    const { policies } = basis;
    const answer = (outcome: ExplainedOutcome): CheckAnswer | Promise<CheckAnswer> => {
      const { effect, message } = outcome;
      const bare: Outcome = message === undefined ? { effect } : { effect, message };
      const { id, written } = this.record(bare, { ...request, basis }, asker);
      const whole = { ...bare, id, explanation: this.#explanation(id, outcome, basis) };
      return written === undefined ? whole : written.then(() => whole);
    };
    if (asker.budget === undefined && explanationSize(policies, request.required) <= SHORT_EXPLANATION)
      return answer(explain(policies, request));
    const budget = asker.budget ?? this.#options.workBudget();
    return this.#options.scheduler.run(explainInSteps(policies, request), { budget }).then(answer);
  }

  #explanation(id: string, outcome: ExplainedOutcome, { via, cache }: Basis): Explanation {
    return {
      id,
      effect: outcome.effect,
      determining: outcome.determining.map((one) => ({ ...one, via: via(one.policy) })),
      tree: outcome.tree,
      near_misses: outcome.nearMisses,
      cache,
      policies_version: this.#options.policiesVersion,
      evaluated_at: this.#options.now().toISOString(),
    };
  }
}
