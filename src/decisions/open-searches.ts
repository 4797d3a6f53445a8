/** Builds the searches over what the other decisions are built from. */

import type { Directory } from "../directory/directory.ts";
import { ActionsOf } from "./action-listing.ts";
import { AllPolicies } from "./all-policies.ts";
import type { DecisionCounters } from "./decisions.ts";
import { EntitySearching } from "./entity-searching.ts";
import type { RequestProperties } from "./evaluation-fields.ts";
import { NativeSearching } from "./native-searching.ts";
import { Turns } from "./pace.ts";
import type { Principals } from "./principals.ts";
import { ResourceSearching } from "./resource-searching.ts";
import type { ResourceTypes } from "./resource-types.ts";
import type { Searches } from "./searches.ts";
import type { Slicer } from "./slicer.ts";
import { UserSearch } from "./user-search.ts";

/** What the searches are built from. */
export interface SearchesOptions {
  readonly directory: Directory;
  readonly partition: string;
  readonly principals: Principals;
  readonly types: ResourceTypes;
  readonly slicer: Slicer;
  readonly counters: DecisionCounters;
  readonly requestProperties: RequestProperties;
  /** How long what is known of all policies is kept, in milliseconds (`auth.cache.ttl`). */
  readonly ttl: number;
}

/** Searches that can be closed. */
export interface OpenedSearches extends Searches {
  /** Stops listening to changes. */
  close(): void;
}

/** Opens the searches. */
export function openSearches(options: SearchesOptions): OpenedSearches {
  const turns = new Turns();
  const all = new AllPolicies(options);
  const users = new UserSearch({ ...options, all, turns });
  const actions = new ActionsOf({ ...options, turns });
  const entities = new EntitySearching({ ...options, users, actions });
  const resources = new ResourceSearching(options);
  const native = new NativeSearching({ ...options, users, actions });
  return {
    subjects: (search) => entities.subjects(search),
    resources: (search) => resources.resources(search),
    actions: (search) => entities.actions(search),
    whoCan: (question) => native.whoCan(question),
    whatCan: (question) => native.whatCan(question),
    plan: (request) => native.plan(request),
    close: () => all.close(),
  };
}
