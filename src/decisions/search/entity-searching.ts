/** AuthZEN search for subjects and actions (spec/decision-api §2.3). */

import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import type { ConditionFields } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { ARN_TYPE } from "@svc-authorizer/policy/model/names.ts";
import {
  type RequestProperties,
  withRegistered,
} from "@svc-authorizer/policy/model/registered-properties.ts";
import type { Survey } from "../../directory/directory.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import { askedSubject } from "../check/authzen.ts";
import { requestedFields } from "../check/evaluation-fields.ts";
import type { DecisionCounters } from "../decisions.ts";
import { nextAttempt } from "../one-state.ts";
import type { Principals } from "../principals.ts";
import type { RegisteredResources } from "../registered-resources.ts";
import type { ResourceTypes } from "../resource-types.ts";
import type { ActionSearch, Found, FoundEntity, SubjectSearch } from "../searches.ts";
import type { Subjects } from "../subjects/subjects.ts";
import type { ActionsOf } from "./action-listing.ts";
import type { UserSearch } from "./user-search.ts";

const NO_FIELDS: ConditionFields = new Map();
/** The result for an unknown user, type or action. */
export const NOTHING: Found<never> = { results: [], total: 0 };

/** Options of {@link EntitySearching}. */
interface EntitySearchingOptions {
  readonly principals: Principals;
  readonly subjects: Subjects;
  readonly types: ResourceTypes;
  readonly registered: RegisteredResources;
  readonly users: UserSearch;
  readonly actions: ActionsOf;
  readonly scheduler: Scheduler;
  readonly counters: DecisionCounters;
  readonly requestProperties: RequestProperties;
}

/** Answers searches for subjects and actions. */
export class EntitySearching {
  readonly #options: EntitySearchingOptions;

  constructor(options: EntitySearchingOptions) {
    this.#options = options;
  }

  /** Users for whom an evaluation of the rest says true. */
  async subjects(search: SubjectSearch, budget: WorkBudget): Promise<Found<FoundEntity>> {
    const { types, subjects, registered, users, requestProperties, scheduler } = this.#options;
    const { subject, action, resource, page } = search;
    await types.refreshed();
    const arn = types.arn(resource.type, resource.id);
    const name = types.action(resource.type, action.name);
    if (!subjects.areUsers(subject.type) || arn === undefined || name === undefined) return NOTHING;
    const given = requestedFields(search);
    const contextIn = async (survey: Survey): Promise<ConditionFields> => {
      const properties = await registered.propertiesIn(survey, arn, resource);
      return withRegistered(given, { resource: properties }, requestProperties);
    };
    const fields = (context: ConditionFields, own: Properties): ConditionFields =>
      withRegistered(context, { subject: own }, requestProperties);
    const required = { action: name, resource: arn };
    const lookup = new Lookup();
    return users.find({
      budget,
      required,
      contextIn,
      page,
      fields,
      answer: async ({ principal, policies }, shared) => {
        const { username } = principal;
        const context = policies.readsContext ? fields(shared, principal.properties) : NO_FIELDS;
        const test = outcomeTest(policies, { user: username, action: name, context }, lookup);
        const { effect } = test(arn) ?? (await scheduler.run(test.inSteps(arn), { budget }));
        budget.spend(test.work());
        this.#options.counters.decisions.search[effect]++;
        return effect === "allow" ? { type: subject.type, id: username } : undefined;
      },
    });
  }

  /** Actions for which an evaluation of the rest says true. */
  async actions(
    search: ActionSearch,
    budget: WorkBudget,
    attempt = 0,
  ): Promise<Found<{ readonly name: string }>> {
    const { types, subjects, principals, registered, actions, requestProperties } = this.#options;
    const { subject, resource, page } = search;
    await types.refreshed();
    const { generation } = principals;
    const arn = types.arn(resource.type, resource.id);
    if (!subjects.areUsers(subject.type) || arn === undefined) return NOTHING;
    const user = await subjects.get(askedSubject(subject, search.asserter, subjects));
    if (user === undefined) return NOTHING;
    const properties = {
      subject: user.principal.properties,
      resource: await registered.propertiesOf(arn, resource),
    };
    if (user.policies.readsResource && principals.generation !== generation) {
      return this.actions(search, budget, nextAttempt(attempt));
    }
    const context = withRegistered(requestedFields(search), properties, requestProperties);
    const names = resource.type === ARN_TYPE ? types.allActions() : types.actionNames(resource.type);
    const action = (name: string): string => types.action(resource.type, name) ?? name;
    const found = await actions.allowed(
      user,
      { names, action, resource: arn, context, page, budget },
      "search",
    );
    return { ...found, results: found.results.map((name) => ({ name })) };
  }
}
