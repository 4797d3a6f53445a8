/** Builds the searches from the parts of the decisions. */

import type { Waiter, WorkBudget } from "../../schedule/scheduler.ts";
import type { NativeFields } from "../check/native-fields.ts";
import type { Principals } from "../principals.ts";
import type { RegisteredResources } from "../registered-resources.ts";
import type { Searches } from "../searches.ts";
import { ActionsOf } from "./action-listing.ts";
import { AllPolicies, type AllPoliciesOptions } from "./all-policies.ts";
import { EntitySearching } from "./entity-searching.ts";
import { NativeSearching } from "./native-searching.ts";
import { ResourceSearching, type ResourceSearchingOptions } from "./resource-searching.ts";
import { UserSearch } from "./user-search.ts";

/** The parts of the searches. */
interface SearchesOptions extends AllPoliciesOptions, ResourceSearchingOptions {
  readonly principals: Principals;
  readonly registered: RegisteredResources;
  readonly native: NativeFields;
  /** A work budget of one request, which ends with its caller. */
  readonly workBudget: (waiter: Waiter) => WorkBudget;
}

/** Searches that can be closed. */
interface OpenedSearches extends Searches {
  /** Stops listening to changes. */
  close(): void;
}

/** Opens the searches. */
export function openSearches(options: SearchesOptions): OpenedSearches {
  const all = new AllPolicies(options);
  const users = new UserSearch({ ...options, all });
  const actions = new ActionsOf(options);
  const entities = new EntitySearching({ ...options, users, actions });
  const resources = new ResourceSearching(options);
  const native = new NativeSearching({ ...options, users, actions });
  const budget = (signal: AbortSignal | undefined): WorkBudget => options.workBudget({ signal });
  return {
    subjects: (search, signal) => entities.subjects(search, budget(signal)),
    resources: (search, signal) => resources.resources(search, budget(signal)),
    actions: (search, signal) => entities.actions(search, budget(signal)),
    whoCan: (question, signal) => native.whoCan(question, budget(signal)),
    whatCan: (question, signal) => native.whatCan(question, budget(signal)),
    plan: (request, signal) => native.plan(request, budget(signal)),
    close: () => all.close(),
  };
}
