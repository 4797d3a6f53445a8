/** One decision about a loaded user: outcome and explanation. */

import {
  decideAtOnce,
  decideInSteps,
  decideOne,
  type EngineRequest,
  isShort,
} from "@svc-authorizer/policy/engine/decide/decide.ts";
import {
  type DecidingPlace,
  DecidingStatements,
} from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import {
  type ExplainedOutcome,
  explainInSteps,
  explanationSize,
} from "@svc-authorizer/policy/engine/explain/explain.ts";
import { finishWithin, STEP_UNITS } from "@svc-authorizer/policy/engine/work.ts";
import type {
  EffectTree,
  Explanation,
  Outcome,
  RequiredLeaf,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import type { QuestionDoubt } from "@svc-authorizer/policy/model/question-judge.ts";
import type { Scheduler, Waiter, WorkBudget } from "../../schedule/scheduler.ts";
import type { UserPolicies } from "../cached-principal.ts";
import type { CheckAnswer } from "../decisions.ts";
import { UNKNOWN_TEXTS } from "../subjects/unknown-reason.ts";
import type { DecisionRecorder, RecordedCall } from "./decision-recorder.ts";
import { doubtsAbout } from "./question-doubts.ts";

/** A decision with at most this many statement visits is explained in one go: a few milliseconds. */
const SHORT_EXPLANATION = 2_000;

/** A call that needs a decision, with its budget of work. */
interface DecisionCall extends RecordedCall {
  readonly explain: boolean;
  /** The budget of the work, which is then done in slices. Without it, only long work has a budget. */
  readonly budget?: WorkBudget;
}

/** Options of {@link Deciding}. */
interface DecidingOptions {
  readonly recorder: DecisionRecorder;
  readonly policiesVersion: string;
  /** Doubts that a question can have an answer. */
  readonly doubts: (question: RequiredLeaf) => readonly QuestionDoubt[];
  readonly now: () => Date;
  /** Runs long decisions and explanations. */
  readonly scheduler: Scheduler;
  readonly workBudget: (waiter?: Waiter) => WorkBudget;
}

/** Makes decisions. */
export class Deciding {
  readonly #options: DecidingOptions;
  readonly #lookup = new Lookup();

  constructor(options: DecidingOptions) {
    this.#options = options;
  }

  /**
   * Decides; synchronous except for long work and where the answer waits for its record. An allow without record and
   * explanation gets no id.
   */
  check(
    loaded: UserPolicies,
    request: EngineRequest,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    const { policies } = loaded;
    const { user, required, contextOf } = request;
    const isQuick = call.budget === undefined && isShort(required);
    if (!call.explain && isQuick && "action" in required) {
      // The usual way: one permission.
      const asked =
        contextOf === undefined ? request : { user, required, context: contextOf(required.resource) };
      const outcome = decideOne(policies, required, asked, this.#lookup);
      if (outcome !== undefined) return this.#answered(outcome, asked, loaded, call, this.#lookup.place());
    }
    const { recorder, scheduler } = this.#options;
    const asked = recorder.notesStatements ? noting(request) : request;
    if (call.explain) return this.#explained(loaded, asked, call);
    const outcome = isQuick ? decideAtOnce(policies, asked, this.#lookup) : undefined;
    if (outcome !== undefined) return this.#answered(outcome, asked, loaded, call);
    return scheduler
      .run(decideInSteps(policies, asked), this.#within(call))
      .then((outcome) => this.#answered(outcome, asked, loaded, call));
  }

  /** The answer about a user who does not exist. */
  unknownUser(
    request: EngineRequest,
    call: DecisionCall,
    reason: NonNullable<CheckAnswer["reason"]> = "unknown_user",
  ): CheckAnswer | Promise<CheckAnswer> {
    const error = UNKNOWN_TEXTS[reason];
    const message = `insufficient permissions: ${error}`;
    const { recorder } = this.#options;
    const { id, written } = recorder.record({ effect: "neutral", message }, { ...request, error }, call);
    const answer = { effect: "neutral", message, reason, ...(id !== undefined && { id }) } as const;
    if (!call.explain || id === undefined) return answerAfter(written, answer);
    return answerAfter(written, { ...answer, explanation: this.explainNothing(id, request.required) });
  }

  /** The explanation of a decision that no policies made: its permissions, and doubts that they are any. */
  explainNothing(id: string, required: RequiredPermissions): Explanation {
    const nothing = { effect: "neutral", determining: [], tree: neutral(required), nearMisses: [] } as const;
    return {
      ...this.#explanation(id, nothing, { via: () => [], cache: "miss" }),
      ...doubtsAbout(required, this.#options.doubts),
    };
  }

  #answered(
    outcome: Outcome,
    request: EngineRequest,
    loaded: UserPolicies,
    call: DecisionCall,
    place?: DecidingPlace,
  ): CheckAnswer | Promise<CheckAnswer> {
    const { id, written } = this.#options.recorder.record(outcome, request, call, loaded, place);
    if (id === undefined) return outcome;
    const { effect, message } = outcome;
    return answerAfter(written, message === undefined ? { effect, id } : { effect, message, id });
  }

  #explained(
    loaded: UserPolicies,
    request: EngineRequest,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    const { policies } = loaded;
    const { recorder, scheduler } = this.#options;
    const answer = (outcome: ExplainedOutcome): CheckAnswer | Promise<CheckAnswer> => {
      const { effect, message } = outcome;
      const bare: Outcome = message === undefined ? { effect } : { effect, message };
      const { id = recorder.nextId(), written } = recorder.record(bare, request, call, loaded);
      const doubts = doubtsAbout(request.required, this.#options.doubts);
      const explanation = { ...this.#explanation(id, outcome, loaded), ...doubts };
      return answerAfter(written, { ...bare, id, explanation });
    };
    const steps = explainInSteps(policies, request);
    if (call.budget === undefined && explanationSize(policies, request.required) <= SHORT_EXPLANATION) {
      const explained = finishWithin(steps, STEP_UNITS);
      if (explained !== undefined) return answer(explained.value);
    }
    return scheduler.run(steps, this.#within(call)).then(answer);
  }

  #within({ budget, call }: DecisionCall): { readonly budget: WorkBudget } {
    return { budget: budget ?? this.#options.workBudget(call) };
  }

  #explanation(
    id: string,
    outcome: Pick<ExplainedOutcome, "effect" | "determining" | "tree" | "nearMisses">,
    { via, cache, asserted }: Pick<UserPolicies, "via" | "cache" | "asserted">,
  ): Explanation {
    return {
      id,
      effect: outcome.effect,
      determining: outcome.determining.map((one) => ({ ...one, via: via(one.policy) })),
      tree: outcome.tree,
      near_misses: outcome.nearMisses,
      ...(asserted && { asserted }),
      cache,
      policies_version: this.#options.policiesVersion,
      evaluated_at: this.#options.now().toISOString(),
    };
  }
}

/** A tree of which nothing is allowed. */
function neutral(required: RequiredPermissions): EffectTree {
  if ("and" in required) return { and: required.and.map(neutral), effect: "neutral" };
  if ("or" in required) return { or: required.or.map(neutral), effect: "neutral" };
  return { ...required, effect: "neutral" };
}

/** The answer: at once, or when its record is written. */
export function answerAfter<T>(written: Promise<void> | undefined, answer: T): T | Promise<T> {
  return written === undefined ? answer : written.then(() => answer);
}

/** The request with a place for the statements that decide. */
function noting({ user, required, context, contextOf }: EngineRequest): EngineRequest {
  const decidedBy = new DecidingStatements();
  return contextOf === undefined
    ? { user, required, context, decidedBy }
    : { user, required, context, contextOf, decidedBy };
}
