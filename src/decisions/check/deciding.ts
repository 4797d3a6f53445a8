/** One decision about a loaded user: outcome, explanation, counting, audit. */

import {
  decideAtOnce,
  decideInSteps,
  decideOne,
  type EngineRequest,
  isShort,
} from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import {
  type ExplainedOutcome,
  explainInSteps,
  explanationSize,
} from "@svc-authorizer/policy/engine/explain/explain.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import { finishWithin, STEP_UNITS } from "@svc-authorizer/policy/engine/work.ts";
import type {
  ConditionFields,
  Explanation,
  Outcome,
  RequiredLeaf,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import type { QuestionDoubt } from "@svc-authorizer/policy/model/question-judge.ts";
import type { Scheduler, Waiter, WorkBudget } from "../../schedule/scheduler.ts";
import type { UserPolicies } from "../cached-principal.ts";
import type { AskedResource, AskingCall, Decided, DecisionBatch, DecisionLog } from "../decision-log.ts";
import type { CheckAnswer, DecisionAudit, DecisionCounters, DecisionRecord } from "../decisions.ts";
import type { Entrance } from "../entrances.ts";
import { UNKNOWN_TEXTS } from "../subjects/unknown-reason.ts";
import type { DecisionUsage, UserUse } from "../usage.ts";
import { doubtsAbout } from "./question-doubts.ts";

/** A decision with at most this many statement visits is explained in one go: a few milliseconds. */
const SHORT_EXPLANATION = 2_000;

const NO_STATEMENTS: readonly CompiledStatement[] = [];

/** A call that needs a decision: for records, counters and its budget of work. */
interface DecisionCall {
  readonly entrance: Entrance;
  readonly requestId: string;
  readonly explain: boolean;
  /** The budget of the work, which is then done in slices. Without it, only long work has a budget. */
  readonly budget?: WorkBudget;
  /** The call, for the decision log; long work without a budget of its own ends when its caller is gone. */
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
  /** See `contextOf` of `EngineRequest`. */
  readonly contextOf?: EngineRequest["contextOf"];
  /** Absent if no policies were read. */
  readonly loaded?: UserPolicies;
  /** See `decidedBy` of `EngineRequest`. */
  readonly decidedBy?: DecidingStatements;
  /** Type of a subject that is no user. */
  readonly subjectType?: string;
  /** The reason why nothing was evaluated. */
  readonly error?: string;
}

/** The id of a recorded decision, and when its answer may go out. */
interface Recorded {
  readonly id: string;
  /** Resolves when the record is on disk; undefined if the answer need not wait for it. */
  readonly written: Promise<void> | undefined;
}

/** Options of {@link Deciding}. */
interface DecidingOptions {
  readonly counters: DecisionCounters;
  readonly audit: DecisionAudit;
  /** Absent if no decisions are logged. */
  readonly log?: DecisionLog | undefined;
  /** Absent if use is not counted. */
  readonly usage?: DecisionUsage | undefined;
  readonly policiesVersion: string;
  /** Doubts that a question can have an answer. */
  readonly doubts: (question: RequiredLeaf) => readonly QuestionDoubt[];
  readonly nextId: () => string;
  readonly now: () => Date;
  /** Runs long decisions and explanations. */
  readonly scheduler: Scheduler;
  readonly workBudget: (waiter?: Waiter) => WorkBudget;
}

/** Makes decisions, counts them and audits them. */
export class Deciding {
  readonly #options: DecidingOptions;
  readonly #notesStatements: boolean;
  readonly #lookup = new Lookup();

  constructor(options: DecidingOptions) {
    this.#options = options;
    this.#notesStatements = options.log !== undefined || options.usage !== undefined;
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

  /** True when it has to be known which statements decide. */
  get notesStatements(): boolean {
    return this.#notesStatements;
  }

  /** The counts of a user; undefined where use is not counted, and for policies that are only tried. */
  useOf({ counted }: UserPolicies): UserUse | undefined {
    const { usage } = this.#options;
    if (usage === undefined || counted === undefined) return undefined;
    counted.use ??= usage.of(counted);
    return counted.use;
  }

  /**
   * Decides; synchronous except for long explanations and where the answer waits for its record. An allow without
   * record and explanation gets no id.
   */
  check(
    loaded: UserPolicies,
    request: EngineRequest,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    const { required } = request;
    const isQuick = call.budget === undefined && isShort(required);
    if (!call.explain && isQuick && "action" in required) {
      const answer = this.#decidedAtOnce(loaded, request, required, call);
      if (answer !== undefined) return answer;
    }
    const asked = this.#notesStatements ? noting(request) : request;
    if (call.explain) return this.#explained(loaded, asked, call);
    const outcome = isQuick ? decideAtOnce(loaded.policies, asked, this.#lookup) : undefined;
    if (outcome === undefined) return this.#decidedInSteps(loaded, asked, call);
    return this.#answered(outcome, asked, loaded, call);
  }

  /** The usual way: one permission. Undefined where conditions are long. */
  #decidedAtOnce(
    loaded: UserPolicies,
    request: EngineRequest,
    required: RequiredLeaf,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> | undefined {
    const { contextOf } = request;
    const asked = contextOf === undefined ? request : { ...request, context: contextOf(required.resource) };
    const outcome = decideOne(loaded.policies, required, asked, this.#lookup);
    if (outcome === undefined) return undefined;
    this.#options.counters.decisions[call.entrance][outcome.effect]++;
    this.useOf(loaded)?.decidedOne(required.action, this.#lookup.place());
    if (!this.logs) return this.#unlogged(outcome, asked, call);
    const statement = this.#lookup.place().statementIn(loaded.policies);
    const { user, context } = asked;
    if (call.batch !== undefined)
      addTo(call.batch, { user, loaded, required, context }, outcome, call, statement);
    const id = this.#audited(outcome, request, call);
    const written =
      call.batch !== undefined
        ? undefined
        : this.#logged({
            id,
            entrance: call.entrance,
            requestId: call.requestId,
            call: call.call,
            user,
            loaded,
            required,
            resource: call.resource,
            context,
            outcome,
            decidedBy: statement === undefined ? NO_STATEMENTS : [statement],
          });
    const { effect, message } = outcome;
    const answer: CheckAnswer = message === undefined ? { effect, id } : { effect, message, id };
    return written === undefined ? answer : written.then(() => answer);
  }

  /**
   * Decides about one permission of a request of a data server; where decisions are logged, {@link Deciding.record} is
   * the way. Counts and audits as that does. Undefined where conditions are long.
   */
  one(
    loaded: UserPolicies,
    request: EngineRequest & { readonly required: RequiredLeaf },
    subject: DecisionSubject,
    call: Omit<DecisionCall, "explain">,
  ): { readonly outcome: Outcome; readonly id: string } | undefined {
    const { required } = request;
    const outcome = decideOne(loaded.policies, required, request, this.#lookup);
    if (outcome === undefined) return undefined;
    this.#options.counters.decisions[call.entrance][outcome.effect]++;
    this.useOf(loaded)?.decidedOne(required.action, this.#lookup.place());
    return { outcome, id: this.#audited(outcome, subject, call) };
  }

  #decidedInSteps(loaded: UserPolicies, request: EngineRequest, call: DecisionCall): Promise<CheckAnswer> {
    const { scheduler, workBudget } = this.#options;
    const budget = call.budget ?? workBudget(call.call);
    return scheduler
      .run(decideInSteps(loaded.policies, request), { budget })
      .then((outcome) => this.#answered(outcome, request, loaded, call));
  }

  #answered(
    outcome: Outcome,
    request: EngineRequest,
    loaded: UserPolicies,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    this.#options.counters.decisions[call.entrance][outcome.effect]++;
    this.#used(loaded, request.required, request.decidedBy);
    if (!this.logs) return this.#unlogged(outcome, request, call);
    return this.#recorded(outcome, { ...request, loaded }, call);
  }

  #unlogged(outcome: Outcome, request: EngineRequest, call: DecisionCall): CheckAnswer {
    const { effect, message } = outcome;
    if (effect === "allow" && !this.auditsAllows) return outcome;
    const id = this.#audited(outcome, request, call);
    return message === undefined ? { effect, id } : { effect, message, id };
  }

  /** The answer about a user who does not exist. */
  unknownUser(
    request: EngineRequest,
    call: DecisionCall,
    reason: NonNullable<CheckAnswer["reason"]> = "unknown_user",
  ): CheckAnswer | Promise<CheckAnswer> {
    this.#options.counters.decisions[call.entrance].neutral++;
    const error = UNKNOWN_TEXTS[reason];
    const message = `insufficient permissions: ${error}`;
    return this.#recorded({ effect: "neutral", message, reason }, { ...request, error }, call);
  }

  #recorded(
    answer: CheckAnswer,
    subject: DecisionSubject,
    call: DecisionCall,
  ): CheckAnswer | Promise<CheckAnswer> {
    const { effect, message } = answer;
    const outcome: Outcome = message === undefined ? { effect } : { effect, message };
    const { id, written } = this.#noted(outcome, subject, call);
    const whole = { ...answer, id };
    return written === undefined ? whole : written.then(() => whole);
  }

  /** Counts and records a decision that other code made. */
  record(outcome: Outcome, subject: DecisionSubject, call: Omit<DecisionCall, "explain">): Recorded {
    this.#options.counters.decisions[call.entrance][outcome.effect]++;
    this.#used(subject.loaded, subject.required, subject.decidedBy);
    return this.#noted(outcome, subject, call);
  }

  #used(
    loaded: UserPolicies | undefined,
    required: RequiredPermissions | null,
    decidedBy: DecidingStatements | undefined,
  ): void {
    if (loaded !== undefined) this.useOf(loaded)?.decided(required, decidedBy?.all);
  }

  /** Records a refusal for which no policy was read and which counts as no decision. */
  refused(subject: DecisionSubject, call: Omit<DecisionCall, "explain">): Recorded {
    return this.#note({ effect: "neutral" }, subject, call, () => this.#idFor(call));
  }

  #noted(outcome: Outcome, subject: DecisionSubject, call: Omit<DecisionCall, "explain">): Recorded {
    return this.#note(outcome, subject, call, () => this.#audited(outcome, subject, call));
  }

  /** Adds a decision to the record that it is a part of, or gives it one of its own. */
  #note(
    outcome: Outcome,
    subject: DecisionSubject,
    call: Omit<DecisionCall, "explain">,
    newId: () => string,
  ): Recorded {
    if (!this.logs) return { id: newId(), written: undefined };
    const { loaded, required } = subject;
    const decidedBy = subject.decidedBy?.all ?? NO_STATEMENTS;
    if (call.batch !== undefined && required !== null && "action" in required) {
      addTo(call.batch, { ...subject, required }, outcome, call, decidedBy[0]);
      return { id: newId(), written: undefined };
    }
    const { entrance, requestId, resource } = call;
    const id = newId();
    const asked = { entrance, requestId, call: call.call, resource };
    return { id, written: this.#logged({ ...subject, ...asked, id, loaded, outcome, decidedBy }) };
  }

  #logged(decided: Decided): Promise<void> | undefined {
    const { log } = this.#options;
    return log?.wants(decided.outcome.effect) ? log.decided(decided) : undefined;
  }

  /** The id of a decision: that which it has in the record of its batch, else a new one. */
  #idFor({ batch }: Pick<DecisionCall, "batch">): string {
    return batch?.lastId() ?? this.#options.nextId();
  }

  /** Audits a decision, which is in the record of its batch already. Returns its id. */
  #audited(outcome: Outcome, subject: DecisionSubject, call: Omit<DecisionCall, "explain">): string {
    const id = this.#idFor(call);
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
    const answer = (outcome: ExplainedOutcome): CheckAnswer | Promise<CheckAnswer> => {
      const { effect, message } = outcome;
      const bare: Outcome = message === undefined ? { effect } : { effect, message };
      const { id, written } = this.record(bare, { ...request, loaded }, call);
      const doubts = doubtsAbout(request.required, this.#options.doubts);
      const whole = { ...bare, id, explanation: { ...this.#explanation(id, outcome, loaded), ...doubts } };
      return written === undefined ? whole : written.then(() => whole);
    };
    const steps = explainInSteps(policies, request);
    if (call.budget === undefined && explanationSize(policies, request.required) <= SHORT_EXPLANATION) {
      const explained = finishWithin(steps, STEP_UNITS);
      if (explained !== undefined) return answer(explained.value);
    }
    const budget = call.budget ?? this.#options.workBudget(call.call);
    return this.#options.scheduler.run(steps, { budget }).then(answer);
  }

  #explanation(id: string, outcome: ExplainedOutcome, { via, cache, asserted }: UserPolicies): Explanation {
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

/** Adds a decision about one permission to the record of a batch. */
function addTo(
  batch: DecisionBatch,
  { user, subjectType, loaded, context, required }: DecisionSubject & { readonly required: RequiredLeaf },
  outcome: Outcome,
  { resource }: Pick<DecisionCall, "resource">,
  statement: CompiledStatement | undefined,
): void {
  batch.about({ user, subjectType, action: required.action, loaded, context });
  batch.add(outcome, required.resource, resource, statement);
}

/** The request with a place for the statements that decide. */
function noting({ user, required, context, contextOf }: EngineRequest): EngineRequest {
  return contextOf === undefined
    ? { user, required, context, decidedBy: new DecidingStatements() }
    : { user, required, context, contextOf, decidedBy: new DecidingStatements() };
}
