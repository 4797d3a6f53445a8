/** Selects the actions that a user may perform on one resource. */

import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import type { ConditionFields } from "@svc-authorizer/policy/model/decision.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { Pace } from "../../schedule/pace.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import type { CachedPrincipal } from "../cached-principal.ts";
import type { DecisionCounters } from "../decisions.ts";
import type { Principals } from "../principals.ts";
import type { Found, SearchPage } from "../searches.ts";

/** Options of {@link ActionsOf}. */
interface ActionsOfOptions {
  readonly principals: Principals;
  readonly scheduler: Scheduler;
  readonly counters: DecisionCounters;
}

/** The question. */
interface ActionsQuestion {
  /** In UTF-8 byte order. */
  readonly names: readonly string[];
  /** `service:Verb` of a name. */
  readonly action: (name: string) => string;
  readonly resource: string;
  readonly context: ConditionFields;
  readonly page: SearchPage;
  readonly budget: WorkBudget;
}

/** Lists actions. */
export class ActionsOf {
  readonly #options: ActionsOfOptions;

  constructor(options: ActionsOfOptions) {
    this.#options = options;
  }

  /** The allowed names. Decides about all of them, so that the total is known. */
  async allowed(
    { principal, policies, asserted }: CachedPrincipal,
    { names, action, resource, context, page, budget }: ActionsQuestion,
    entrance: "search" | "what_can",
  ): Promise<Found<string>> {
    const { principals, counters, scheduler } = this.#options;
    const { pause } = new Pace(budget.signal);
    const { after = "", limit } = page;
    const results: string[] = [];
    let total = 0;
    let more = false;
    const lookup = new Lookup();
    for (const name of names) {
      await pause();
      const required = { action: action(name), resource };
      await principals.ready(policies, required, budget);
      const test = outcomeTest(
        policies,
        { user: principal.username, action: required.action, context },
        lookup,
      );
      const { effect } = test(resource) ?? (await scheduler.run(test.inSteps(resource), { budget }));
      budget.spend(test.work());
      counters.decisions[entrance][effect]++;
      if (effect !== "allow") continue;
      total++;
      if (compareUtf8(name, after) <= 0) continue;
      if (results.length < limit) results.push(name);
      else more = true;
    }
    const next = results.at(-1);
    const found = { results, total, ...(asserted && { asserted }) };
    return more && next !== undefined ? { ...found, next } : found;
  }
}
