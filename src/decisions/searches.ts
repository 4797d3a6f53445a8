/** Searches over users, actions and resources: the contract of what answers "who can" (decision-api.md §2, §3). */

import type { DecisionContext, Effect, RequiredLeaf } from "../model/decision.ts";
import type { Properties } from "../model/entities.ts";
import type { Condition, Via } from "../model/policy.ts";
import type { AuthzenAction, AuthzenResource, AuthzenSubject } from "./decisions.ts";

/** A part of a result: items after `after` (exclusive) in UTF-8 byte order, at most `limit`. */
export interface SearchPage {
  readonly after?: string;
  readonly limit: number;
}

/** What one page of a search found. */
export interface Found<T> {
  readonly results: readonly T[];
  /** Key to go on after; undefined on the last page. */
  readonly next?: string;
}

/** AuthZEN search: the entity that is searched for has a type and no id. */
export interface SubjectSearch {
  readonly subject: { readonly type: string; readonly properties?: Properties };
  readonly action: AuthzenAction;
  readonly resource: AuthzenResource;
  readonly context?: Properties;
  readonly page: SearchPage;
}
export interface ResourceSearch {
  readonly subject: AuthzenSubject;
  readonly action: AuthzenAction;
  readonly resource: { readonly type: string; readonly properties?: Properties };
  readonly context?: Properties;
  readonly page: SearchPage;
}
export interface ActionSearch {
  readonly subject: AuthzenSubject;
  readonly resource: AuthzenResource;
  readonly context?: Properties;
  readonly page: SearchPage;
}

/** `/who-can`. */
export interface WhoCan extends RequiredLeaf {
  readonly context: DecisionContext;
  readonly page: SearchPage;
}
/** A user who may, and why: the statement that allows. */
export interface WhoCanResult {
  readonly user: string;
  readonly via: readonly Via[];
  readonly policy: string;
  readonly statement: number;
}

/** `/what-can`. */
export interface WhatCan {
  readonly user: string;
  readonly resource: string;
  readonly context: DecisionContext;
  readonly page: SearchPage;
}

/** `/plan`. */
export interface PlanRequest {
  readonly user: string;
  readonly action: string;
  /** Narrows the plan to resources of a type. */
  readonly type?: string;
  readonly context: DecisionContext;
}
/**
 * Which resources a user may act on, as patterns: a resource is allowed when a pattern of `allow` (or of a
 * `conditional` allow whose condition holds) matches and none of `deny` (or of a conditional deny) does. `${user}` is
 * filled in. Conditions that the context decides are decided; what stays reads what is not known yet.
 */
export interface Plan {
  readonly kind: "always" | "never" | "conditional";
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly conditional: readonly {
    readonly effect: Exclude<Effect, "neutral">;
    readonly resource: string;
    readonly condition: Condition;
  }[];
}

/** The searches. */
export interface Searches {
  subjects(search: SubjectSearch): Promise<Found<{ readonly type: string; readonly id: string }>>;
  resources(search: ResourceSearch): Promise<Found<{ readonly type: string; readonly id: string }>>;
  actions(search: ActionSearch): Promise<Found<{ readonly name: string }>>;
  whoCan(question: WhoCan): Promise<Found<WhoCanResult>>;
  whatCan(question: WhatCan): Promise<Found<string>>;
  plan(request: PlanRequest): Promise<Plan>;
}
