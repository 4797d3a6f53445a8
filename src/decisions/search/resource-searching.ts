/** AuthZEN search for resources: the registered ones on which a user may act (spec/decision-api §2.3). */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import type { Steps } from "@svc-authorizer/policy/engine/work.ts";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { ConditionFields } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import {
  type RequestProperties,
  withRegistered,
} from "@svc-authorizer/policy/model/registered-properties.ts";
import type { RegisteredResource } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Directory } from "../../directory/directory.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import type { CachedPrincipal } from "../cached-principal.ts";
import { askedSubject } from "../check/authzen.ts";
import { requestedFields } from "../check/evaluation-fields.ts";
import type { DecisionCounters } from "../decisions.ts";
import { nextAttempt } from "../one-state.ts";
import type { Principals } from "../principals.ts";
import type { ResourceTypes } from "../resource-types.ts";
import type { Found, FoundEntity, ResourceSearch } from "../searches.ts";
import type { Subjects } from "../subjects/subjects.ts";
import { NOTHING } from "./entity-searching.ts";

/** Number of resources in one read: a few milliseconds of the store's work. */
const READ = 500;
/** Number of resources between two steps. */
const STEP = 64;

/** Options of {@link ResourceSearching}. */
export interface ResourceSearchingOptions {
  readonly directory: Directory;
  readonly principals: Principals;
  readonly subjects: Subjects;
  readonly types: ResourceTypes;
  readonly scheduler: Scheduler;
  readonly counters: DecisionCounters;
  readonly requestProperties: RequestProperties;
}

/** The common input of the decisions. */
interface Asked {
  readonly action: string;
  /** The fields of the request. */
  readonly given: ConditionFields;
  readonly limit: number;
}

/** Answers searches for resources. */
export class ResourceSearching {
  readonly #options: ResourceSearchingOptions;

  constructor(options: ResourceSearchingOptions) {
    this.#options = options;
  }

  /** Registered resources of the type for which an evaluation of the rest says true. */
  async resources(search: ResourceSearch, budget: WorkBudget): Promise<Found<FoundEntity>> {
    const { types, subjects, principals, directory, scheduler } = this.#options;
    const { subject, action: asked, resource, page } = search;
    await types.refreshed();
    const action = types.action(resource.type, asked.name);
    if (!subjects.areUsers(subject.type) || action === undefined) return NOTHING;
    let { generation } = principals;
    let user = await this.#user(search, action, budget);
    if (user === undefined) return NOTHING;
    if (!(await scheduler.run(grants(user.policies, action), { budget }))) {
      return { ...NOTHING, ...(user.asserted && { asserted: user.asserted }) };
    }
    const found: string[] = [];
    const given = requestedFields(search);
    let after = page.after ?? "";
    let attempt = 0;
    for (;;) {
      budget.signal?.throwIfAborted();
      const { results, next_offset } = await directory.resources.list(resource.type, { after, amount: READ });
      if (principals.generation !== generation) {
        // The resources may be of a later state than the user: both anew.
        attempt = nextAttempt(attempt);
        ({ generation } = principals);
        user = await this.#user(search, action, budget);
        if (user === undefined) break;
        continue;
      }
      attempt = 0;
      const steps = this.#allowed(user, { action, given, limit: page.limit }, results, found);
      await scheduler.run(steps, { budget });
      if (found.length > page.limit || next_offset === "") break;
      after = next_offset;
    }
    const results = found.slice(0, page.limit).map((id) => ({ type: resource.type, id }));
    const last = results.at(-1);
    const asserted = user?.asserted;
    const answer = { results, ...(asserted && { asserted }) };
    return found.length > page.limit && last !== undefined ? { ...answer, next: last.id } : answer;
  }

  async #user(
    { subject, asserter }: ResourceSearch,
    action: string,
    budget: WorkBudget,
  ): Promise<CachedPrincipal | undefined> {
    const { subjects } = this.#options;
    return subjects.find(askedSubject(subject, asserter, subjects), { action, resource: "*" }, budget);
  }

  /** Adds the ids of the allowed ones; stops at one more than the size of the page. */
  *#allowed(
    { principal, policies }: CachedPrincipal,
    { action, given, limit }: Asked,
    resources: readonly RegisteredResource[],
    found: string[],
  ): Steps<void> {
    const { types, counters } = this.#options;
    const fields = this.#fieldsOf(policies, given, principal.properties);
    const counts = counters.decisions.search;
    const lookup = new Lookup();
    const testOf = (properties: Properties | undefined) =>
      outcomeTest(policies, { user: principal.username, action, context: fields(properties) }, lookup);
    const shared = policies.readsResource ? undefined : testOf(undefined);
    let paid = 0;
    let spent = 0;
    let seen = 0;
    for (const { type, id, properties } of resources) {
      if (++seen % STEP === 0) {
        yield spent - paid;
        paid = spent;
      }
      const resource = arnOf(types, type, id);
      if (resource === undefined) continue;
      const test = shared ?? testOf(properties);
      const before = test.work();
      const { effect } = test(resource) ?? (yield* test.inSteps(resource));
      spent += test.work() - before;
      counts[effect]++;
      if (effect === "allow" && found.push(id) > limit) break;
    }
    yield spent - paid;
  }

  /** The condition fields of a resource; built for each resource only if a condition reads its attributes. */
  #fieldsOf(
    policies: CompiledPolicies,
    given: ConditionFields,
    subject: Properties,
  ): (resource: Properties | undefined) => ConditionFields {
    const { requestProperties } = this.#options;
    const fields = (resource: Properties | undefined): ConditionFields =>
      withRegistered(given, { subject, resource }, requestProperties);
    if (policies.readsResource) return fields;
    const shared = fields(undefined);
    return () => shared;
  }
}

/** True when some statement allows the action on anything. */
function* grants(policies: CompiledPolicies, action: string): Steps<boolean> {
  const matching = yield* policies.statementsMatchingInSteps(action.toWellFormed());
  return matching.some(({ deny }) => !deny);
}

/** The ARN; undefined for an id that no longer fits its redeclared type. No evaluation allows it. */
function arnOf(types: ResourceTypes, type: string, id: string): string | undefined {
  try {
    return types.arn(type, id);
  } catch (error) {
    if (isErrorCode(error, "invalid_request")) return undefined;
    throw error;
  }
}
