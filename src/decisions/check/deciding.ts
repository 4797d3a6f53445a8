/** One decision about a loaded user: outcome, explanation, counting, audit. */

import type { CompiledPolicies } from "../../engine/compile.ts";
import { decide, decideInSteps, type EngineRequest, isShort } from "../../engine/decide.ts";
import { type ExplainedOutcome, explain, explainInSteps, explanationSize } from "../../engine/explain.ts";
import type { Explanation, Outcome } from "../../model/decision.ts";
import type { Via } from "../../model/policy.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import type { CheckAnswer, DecisionAudit, DecisionCounters, DecisionRecord, Entrance } from "../decisions.ts";

/** A decision with at most this many statement visits is explained in one go: a few milliseconds. */
const SHORT_EXPLANATION = 2_000;

/** A call that needs a decision: for records, counters and its budget of work. */
export interface DecisionCall {
  readonly entrance: Entrance;
  readonly requestId: string;
  readonly explain: boolean;
  /** The budget of the work, which is then done in slices. Without it, only long work has a budget. */
  readonly budget?: WorkBudget;
}

/** The subject of a decision, for records. */
export type DecisionSubject = Pick<DecisionRecord, "user" | "credential" | "required" | "operation">;

/** The compiled policies of a loaded user: the input of a decision. */
export interface UserPolicies {
  readonly policies: CompiledPolicies;
  /** The ways in which a policy reaches the user. */
  readonly via: (policy: string) => readonly Via[];
  readonly cache: "hit" | "miss";
}

/** Options of {@link Deciding}. */
export interface DecidingOptions {
  readonly counters: DecisionCounters;
  readonly audit: DecisionAudit;
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

  /** Decides; synchronous except for long explanations. An allow without audit and explanation gets no id. */
  check(
    loaded: UserPolicies,
    request: EngineRequest,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    if (call.explain) return this.#explained(loaded, request, call);
    if (call.budget !== undefined || !isShort(request.required))
      return this.#decidedInSteps(loaded, request, call);
    return this.#answered(decide(loaded.policies, request), request, call);
  }

  #decidedInSteps(
    { policies }: UserPolicies,
    request: EngineRequest,
    call: DecisionCall,
  ): Promise<CheckAnswer> {
    const { scheduler, workBudget } = this.#options;
    const budget = call.budget ?? workBudget();
    return scheduler
      .run(decideInSteps(policies, request), { budget })
      .then((outcome) => this.#answered(outcome, request, call));
  }

  #answered(outcome: Outcome, request: EngineRequest, call: DecisionCall): CheckAnswer {
    this.#options.counters.decisions[call.entrance][outcome.effect]++;
    const { decisions } = this.#options.audit;
    if (outcome.effect === "allow" && decisions !== "all") return outcome;
    return this.#recorded(outcome, request, call);
  }

  /** The answer about a user who does not exist. */
  unknownUser(request: EngineRequest, call: DecisionCall): CheckAnswer {
    this.#options.counters.decisions[call.entrance].neutral++;
    const outcome = { effect: "neutral", message: "insufficient permissions: unknown user" } as const;
    return { ...this.#recorded(outcome, request, call), reason: "unknown_user" };
  }

  #recorded(
    outcome: Outcome,
    request: EngineRequest,
    call: DecisionCall,
  ): CheckAnswer & { readonly id: string } {
    return { ...outcome, id: this.#audited(outcome, request, call) };
  }

  /** Counts and audits a decision that other code made. Returns the id of the decision. */
  record(outcome: Outcome, subject: DecisionSubject, call: Omit<DecisionCall, "explain">): string {
    this.#options.counters.decisions[call.entrance][outcome.effect]++;
    return this.#audited(outcome, subject, call);
  }

  #audited(outcome: Outcome, subject: DecisionSubject, call: Omit<DecisionCall, "explain">): string {
    const id = this.#options.nextId();
    const { audit } = this.#options;
    if (audit.decisions === "all" || (audit.decisions === "denied" && outcome.effect !== "allow")) {
      const { user, credential, required, operation } = subject;
      const { entrance, requestId } = call;
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

  #explained(
    loaded: UserPolicies,
    request: EngineRequest,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    const { policies } = loaded;
    const answer = (outcome: ExplainedOutcome): CheckAnswer => {
      this.#options.counters.decisions[call.entrance][outcome.effect]++;
      const { effect, message } = outcome;
      const bare: Outcome = message === undefined ? { effect } : { effect, message };
      const recorded = this.#recorded(bare, request, call);
      return { ...recorded, explanation: this.#explanation(recorded.id, outcome, loaded) };
    };
    if (call.budget === undefined && explanationSize(policies, request.required) <= SHORT_EXPLANATION)
      return answer(explain(policies, request));
    const budget = call.budget ?? this.#options.workBudget();
    return this.#options.scheduler.run(explainInSteps(policies, request), { budget }).then(answer);
  }

  #explanation(id: string, outcome: ExplainedOutcome, { via, cache }: UserPolicies): Explanation {
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
