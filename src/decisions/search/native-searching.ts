/** `/who-can`, `/what-can` and `/plan` (spec/decision-api §3): searches in the terms of policies. */

import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import { firstAllowing } from "@svc-authorizer/policy/engine/explain/explain.ts";
import { nameOf } from "@svc-authorizer/policy/engine/statement.ts";
import type { ConditionFields } from "@svc-authorizer/policy/model/decision.ts";
import { ARN_TYPE } from "@svc-authorizer/policy/model/names.ts";
import {
  fieldsOfAnyResource,
  type RequestProperties,
  withRegistered,
} from "@svc-authorizer/policy/model/registered-properties.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import type { CachedPrincipal } from "../cached-principal.ts";
import type { NativeFields } from "../check/native-fields.ts";
import type { DecisionCounters } from "../decisions.ts";
import { nextAttempt } from "../one-state.ts";
import { TypePattern } from "../plan/plan-patterns.ts";
import { NEVER, planInSteps } from "../plan/planning.ts";
import type { Principals } from "../principals.ts";
import type { RegisteredResources } from "../registered-resources.ts";
import type { ResourceTypes } from "../resource-types.ts";
import type { Found, Plan, PlanRequest, WhatCan, WhatCanAnswer, WhoCan, WhoCanResult } from "../searches.ts";
import type { AskedSubject, Subjects } from "../subjects/subjects.ts";
import type { ActionsOf } from "./action-listing.ts";
import type { UserSearch } from "./user-search.ts";

/** Options of {@link NativeSearching}. */
interface NativeSearchingOptions {
  readonly partition: string;
  readonly principals: Principals;
  readonly subjects: Subjects;
  readonly registered: RegisteredResources;
  readonly types: ResourceTypes;
  readonly users: UserSearch;
  readonly actions: ActionsOf;
  readonly native: NativeFields;
  readonly scheduler: Scheduler;
  readonly counters: DecisionCounters;
  readonly requestProperties: RequestProperties;
}

/** Answers them. */
export class NativeSearching {
  readonly #options: NativeSearchingOptions;
  readonly #lookup = new Lookup();

  constructor(options: NativeSearchingOptions) {
    this.#options = options;
  }

  /** Users for whom a check allows, each with the first statement that does. */
  async whoCan(
    { action, resource, context: given, page }: WhoCan,
    budget: WorkBudget,
  ): Promise<Found<WhoCanResult>> {
    const required = { action, resource };
    const { native, users, registered, requestProperties } = this.#options;
    return users.find({
      budget,
      required,
      contextIn: async (survey) => {
        const properties = await registered.propertiesIn(survey, resource);
        return withRegistered(given, { resource: properties }, requestProperties);
      },
      page,
      fields: (context, subject) => withRegistered(context, { subject }, requestProperties),
      answer: (user, context) => this.#allowing(user, required, native.ofUser(context, user), budget),
    });
  }

  async #allowing(
    user: CachedPrincipal,
    required: Pick<WhoCan, "action" | "resource">,
    context: ConditionFields,
    budget: WorkBudget,
  ): Promise<WhoCanResult | undefined> {
    const { counters, scheduler } = this.#options;
    const { username } = user.principal;
    const test = outcomeTest(
      user.policies,
      { user: username, action: required.action, context },
      this.#lookup,
    );
    const { resource } = required;
    const { effect } = test(resource) ?? (await scheduler.run(test.inSteps(resource), { budget }));
    budget.spend(test.work());
    counters.decisions.who_can[effect]++;
    if (effect !== "allow") return undefined;
    const steps = firstAllowing(user.policies, required, { user: username, context });
    const found = await scheduler.run(steps, { budget });
    if (found === undefined) return undefined;
    return { user: username, via: user.via(found.policy.name), ...nameOf(found) };
  }

  /** Actions for which a check allows. */
  async whatCan(question: WhatCan, budget: WorkBudget, attempt = 0): Promise<WhatCanAnswer> {
    const { types, subjects, principals, actions, native } = this.#options;
    const { resource, context, page, ...asked } = question;
    await types.refreshed();
    const { generation } = principals;
    const user = await this.#user(asked);
    if (user === undefined) return { results: [], total: 0, reason: subjects.whyUnknown(asked) };
    const fields = native.ofUser(await native.ofResource(context, resource), user);
    if (user.policies.readsResource && principals.generation !== generation) {
      return this.whatCan(question, budget, nextAttempt(attempt));
    }
    const names = types.allActions();
    return actions.allowed(
      user,
      { names, action: itself, resource, context: fields, page, budget },
      "what_can",
    );
  }

  /** The resources on which a user may act, as patterns. */
  async plan(request: PlanRequest, budget: WorkBudget): Promise<Plan> {
    const { types, subjects, counters } = this.#options;
    await types.refreshed();
    const user = await this.#user(request);
    const plan =
      user === undefined
        ? { ...NEVER, reason: subjects.whyUnknown(request) }
        : { ...(await this.#plan(user, request, budget)), ...(user.asserted && { asserted: user.asserted }) };
    counters.decisions.plan[plan.kind === "never" ? "neutral" : "allow"]++;
    return plan;
  }

  /** The subject; undefined also for an inactive user, who is unknown in decisions. */
  async #user(asked: AskedSubject): Promise<CachedPrincipal | undefined> {
    const user = await this.#options.subjects.get(asked);
    return user?.isInactive === true ? undefined : user;
  }

  async #plan(
    user: CachedPrincipal,
    { action: name, type, context: given }: PlanRequest,
    budget: WorkBudget,
  ): Promise<Plan> {
    const { types, scheduler, partition, native, requestProperties } = this.#options;
    const context = fieldsOfAnyResource(native.ofUser(given, user), requestProperties);
    const question = { user: user.principal.username, context };
    // Type `arn` stands for every ARN.
    if (type === undefined || type === ARN_TYPE)
      return scheduler.run(planInSteps(user.policies, { ...question, action: name }), { budget });
    const action = types.action(type, name);
    const pattern = types.pattern(type);
    if (action === undefined || pattern === undefined) return NEVER;
    const within = new TypePattern(pattern, partition);
    return scheduler.run(planInSteps(user.policies, { ...question, action, within }), { budget });
  }
}

function itself(name: string): string {
  return name;
}
