/** AuthZEN access evaluations, mapped to policies (spec/decision-api §2.7). */

import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { type OutcomeTest, outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import { sourceIpOf } from "@svc-authorizer/policy/model/condition-fields.ts";
import type { ConditionFields, Explanation, RequiredLeaf } from "@svc-authorizer/policy/model/decision.ts";
import {
  type RegisteredProperties,
  type RequestProperties,
  withRegistered,
} from "@svc-authorizer/policy/model/registered-properties.ts";
import type { WorkBudget } from "../../schedule/scheduler.ts";
import type { AuthzenSubject } from "../authzen-entities.ts";
import { type CachedPrincipal, policiesOf, type UserPolicies } from "../cached-principal.ts";
import type { BatchSubject, DecisionBatch } from "../decision-log.ts";
import type {
  CachedOutcomes,
  CheckAnswer,
  DecisionCounters,
  EvaluationAnswer,
  EvaluationRequest,
} from "../decisions.ts";
import { isQuick } from "../index-builds.ts";
import { nextAttempt } from "../one-state.ts";
import type { Principals } from "../principals.ts";
import type { RegisteredResources } from "../registered-resources.ts";
import type { ResourceTypes } from "../resource-types.ts";
import { type Asserter, MOST_GROUPS } from "../subjects/asserted-groups.ts";
import type { AskedSubject, Subjects } from "../subjects/subjects.ts";
import type { UnknownReason } from "../subjects/unknown-reason.ts";
import type { UseInARow } from "../usage.ts";
import { answerAfter, type Deciding } from "./deciding.ts";
import type { DecisionRecorder } from "./decision-recorder.ts";
import { addressOf, requestedFields, TOKEN_PROPERTY } from "./evaluation-fields.ts";

/** Options of {@link Authzen}. */
interface AuthzenOptions {
  readonly principals: Principals;
  readonly subjects: Subjects;
  readonly types: ResourceTypes;
  readonly registered: RegisteredResources;
  readonly deciding: Deciding;
  readonly recorder: DecisionRecorder;
  readonly requestProperties: RequestProperties;
  readonly counters: DecisionCounters;
}

/** A resource as an ARN and an action as `service:Verb`; undefined if the type or the name is unknown. */
interface Mapped {
  readonly arn: string | undefined;
  readonly action: string | undefined;
}

/** A test of resources of one type. */
interface TypeTest extends QuickTest {
  readonly use: UseInARow | undefined;
  readonly subject: BatchSubject;
}

/** The attempt of an evaluation, and the generation of the directory when it began. */
interface Began {
  readonly attempt: number;
  readonly generation: number;
}

const ALLOWED: EvaluationAnswer = { decision: true };
const NO_FIELDS: ConditionFields = new Map();
/** Reason and text of the denial of a subject that is not known. */
const UNKNOWN = {
  unknown_user: { reason: "unknown_subject", text: "unknown subject" },
  invalid_token: { reason: "invalid_token", text: "the token of the subject is not valid" },
  too_many_groups: {
    reason: "too_many_groups",
    text: `the subject has more than ${MOST_GROUPS} groups, and so none counts`,
  },
  groups_overage: {
    reason: "groups_overage",
    text: "the token of the subject names no groups, and says that they are kept elsewhere",
  },
} as const satisfies Readonly<Record<UnknownReason, object>>;

/** Answers AuthZEN evaluations. */
export class Authzen {
  readonly #options: AuthzenOptions;

  constructor(options: AuthzenOptions) {
    this.#options = options;
  }

  /** Synchronous if types and user are cached. Throws "invalid_request" for an ambiguous resource id. */
  evaluate(request: EvaluationRequest): EvaluationAnswer | Promise<EvaluationAnswer> {
    return this.#attempt(request, 0);
  }

  #attempt(request: EvaluationRequest, attempt: number): EvaluationAnswer | Promise<EvaluationAnswer> {
    const refreshed = this.#options.types.refreshed();
    return refreshed === undefined
      ? this.#evaluate(request, attempt)
      : refreshed.then(() => this.#evaluate(request, attempt));
  }

  /** See {@link Decisions.cachedOutcomes}. */
  cachedOutcomes(
    { type: subjectType, id: username }: Pick<AuthzenSubject, "type" | "id">,
    actionName: string,
    budget: WorkBudget,
    batch?: DecisionBatch,
  ): CachedOutcomes | undefined {
    const { types, principals, subjects, recorder, counters } = this.#options;
    if (types.refreshed() !== undefined || recorder.auditsAllows) return undefined;
    if (!subjects.areUsers(subjectType)) return undefined;
    const user = principals.cached(username);
    if (user === undefined || user.isInactive || user.policies.readsContext) return undefined;
    const tests = new Map<string, TypeTest | undefined>();
    const loaded = policiesOf(user);
    const lookup = new Lookup();
    const about = addressing();
    const testOf = (type: string): TypeTest | undefined => {
      const action = types.action(type, actionName);
      const quick = quickTest(user, username, action, lookup);
      if (action === undefined || quick === undefined) return undefined;
      const subject = { user: username, subjectType, action, loaded, context: NO_FIELDS };
      return { ...quick, use: recorder.useOf(loaded)?.inARow(action), subject };
    };
    return (type, id, context) => {
      const arn = types.arn(type, id);
      if (!tests.has(type)) tests.set(type, testOf(type));
      const found = tests.get(type);
      if (arn === undefined || found === undefined) return undefined;
      const { test, each, use, subject } = found;
      if (each && !isQuick(user.policies, { action: subject.action, resource: arn })) return undefined;
      const before = test.work();
      const outcome = test(arn);
      budget.spend(test.work() - before);
      // Long conditions are left to the other way.
      if (outcome === undefined) return undefined;
      if (outcome.effect !== "allow" && recorder.auditsRefusals) return undefined;
      counters.cacheHits++;
      counters.decisions.evaluations[outcome.effect]++;
      use?.decided(test.place());
      if (batch !== undefined) {
        batch.about(about(subject, context));
        batch.add(outcome, arn, { type, id }, test.place().statementIn(loaded.policies));
      }
      return outcome;
    };
  }

  #evaluate(request: EvaluationRequest, attempt: number): EvaluationAnswer | Promise<EvaluationAnswer> {
    const { subject, action, resource } = request;
    const { types, subjects, principals } = this.#options;
    const began: Began = { attempt, generation: principals.generation };
    const arn = types.arn(resource.type, resource.id);
    if (!subjects.areUsers(subject.type)) {
      return this.#refused(request, { arn, action: action.name }, "unknown_subject", "unknown subject");
    }
    const mapped: Mapped = { arn, action: types.action(resource.type, action.name) };
    const required = { action: mapped.action ?? action.name, resource: arn ?? resource.id };
    const asked = askedSubject(subject, request.call?.caller, subjects);
    const found = subjects.find(asked, required);
    if (!(found instanceof Promise)) return this.#known(found, request, mapped, required, "hit", began);
    return found.then((user) =>
      user === undefined
        ? this.#unknown(asked, request, required)
        : this.#known(user, request, mapped, required, "miss", began),
    );
  }

  #unknown(
    asked: AskedSubject,
    request: EvaluationRequest,
    required: RequiredLeaf,
  ): EvaluationAnswer | Promise<EvaluationAnswer> {
    const { deciding, subjects } = this.#options;
    const why = subjects.whyUnknown(asked);
    const { reason, text } = UNKNOWN[why];
    const context = addressOf(request.context);
    const answer = deciding.unknownUser({ user: asked.user, required, context }, request, why);
    const denied = ({ id, explanation }: CheckAnswer) => denial(reason, text, id as string, explanation);
    return answer instanceof Promise ? answer.then(denied) : denied(answer);
  }

  #known(
    user: CachedPrincipal,
    request: EvaluationRequest,
    mapped: Mapped,
    required: RequiredLeaf,
    cache: "hit" | "miss",
    { attempt, generation }: Began,
  ): EvaluationAnswer | Promise<EvaluationAnswer> {
    const { recorder } = this.#options;
    const { subject, action, resource } = request;
    if (user.isInactive) return this.#unknown({ user: subject.id }, request, required);
    if (mapped.arn === undefined) {
      return this.#refused(request, mapped, "unknown_resource", `unknown resource type ${resource.type}`);
    }
    if (mapped.action === undefined) {
      return this.#refused(
        request,
        mapped,
        "unknown_action",
        `unknown action ${action.name} of resource type ${resource.type}`,
      );
    }
    const loaded = policiesOf(user, cache);
    if (!user.policies.readsContext) {
      return this.#decided(loaded, required, recorder.logs ? addressOf(request.context) : NO_FIELDS, request);
    }
    const subjects = user.principal.properties;
    if (!user.policies.readsResource) {
      return this.#decided(loaded, required, this.#fieldsOf(request, { subject: subjects }), request);
    }
    const { registered, principals } = this.#options;
    return registered.propertiesOf(mapped.arn, resource).then((resources) => {
      if (principals.generation !== generation) return this.#attempt(request, nextAttempt(attempt));
      const fields = this.#fieldsOf(request, { subject: subjects, resource: resources });
      return this.#decided(loaded, required, fields, request);
    });
  }

  #fieldsOf(request: EvaluationRequest, registered: RegisteredProperties): ConditionFields {
    return withRegistered(requestedFields(request), registered, this.#options.requestProperties);
  }

  #decided(
    loaded: UserPolicies,
    required: RequiredLeaf,
    context: ConditionFields,
    request: EvaluationRequest,
  ): EvaluationAnswer | Promise<EvaluationAnswer> {
    const answer = this.#options.deciding.check(
      loaded,
      { user: request.subject.id, required, context },
      request,
    );
    return answer instanceof Promise ? answer.then(answerOf) : answerOf(answer);
  }

  /** The denial of what could not be evaluated. */
  #refused(
    request: EvaluationRequest,
    { arn, action }: Mapped,
    reason: string,
    text: string,
  ): EvaluationAnswer | Promise<EvaluationAnswer> {
    const { subject, resource, context } = request;
    const required = { action: action ?? request.action.name, resource: arn ?? resource.id };
    // The record has the names, as far as no mask hides them.
    const error = reason.replaceAll("_", " ");
    const about = { user: subject.id, required, context: addressOf(context), error };
    const { recorder, deciding } = this.#options;
    const { id, written } = recorder.refused(about, request);
    const explanation = request.explain ? deciding.explainNothing(id, required) : undefined;
    return answerAfter(written, denial(reason, text, id, explanation));
  }
}

function denial(reason: string, text: string, id: string, explanation?: Explanation): EvaluationAnswer {
  const explained = explanation && { explanation };
  return { decision: false, context: { id, reason_user: { "403": text }, reason, ...explained } };
}

/** Adds the address of the client to a subject: the same object as long as both are the same. */
function addressing(): (subject: BatchSubject, context: EvaluationRequest["context"]) => BatchSubject {
  let of: BatchSubject | undefined;
  let at: string | undefined;
  let made: BatchSubject | undefined;
  return (subject, context) => {
    const address = sourceIpOf(context);
    if (address === undefined) return subject;
    if (made === undefined || subject !== of || address !== at) {
      [of, at] = [subject, address];
      made = { ...subject, context: addressOf(context) };
    }
    return made;
  };
}

/** A test of ARNs of an action, and whether it has to be asked of each ARN if it is quick. */
interface QuickTest {
  readonly test: OutcomeTest;
  readonly each: boolean;
}

/** A test of ARNs, if the action is known and what it needs is quick to build. */
function quickTest(
  { policies }: CachedPrincipal,
  user: string,
  action: string | undefined,
  lookup: Lookup,
): QuickTest | undefined {
  if (action === undefined) return undefined;
  const isAll = isQuick(policies, { action, resource: "" });
  // Of many sets, those that have something about the resource are few.
  if (!isAll && policies.filters?.known(action.toWellFormed()) === undefined) return undefined;
  return { test: outcomeTest(policies, { user, action, context: NO_FIELDS }, lookup), each: !isAll };
}

/**
 * A subject of AuthZEN: `properties.groups` are the groups that its request asserts, and `properties.token` is a token
 * that does. Where no issuer is configured, that is an attribute without a meaning.
 */
export function askedSubject(
  { id, properties }: AuthzenSubject,
  asserter: Asserter | undefined,
  { readsTokens }: Pick<Subjects, "readsTokens">,
): AskedSubject {
  const own = (name: string): unknown =>
    properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const token = readsTokens ? own(TOKEN_PROPERTY) : undefined;
  return { user: id, groups: own("groups"), token, asserter };
}

function answerOf({ effect, message, id, explanation }: CheckAnswer): EvaluationAnswer {
  if (effect === "allow" && explanation === undefined) return ALLOWED;
  // The usual refusal, in one go.
  if (explanation === undefined && id !== undefined && message !== undefined) {
    return { decision: false, context: { id, reason_user: { "403": message } } };
  }
  const reasons = message === undefined ? {} : { reason_user: { "403": message } };
  const context = {
    ...(id === undefined ? {} : { id }),
    ...reasons,
    ...(explanation === undefined ? {} : { explanation }),
  };
  return { decision: effect === "allow", context };
}
