/** Searches for users, actions and resources: the contract (spec/decision-api §2.3, spec/decision-api §3). */

import type {
  Assertion,
  DecisionContext,
  Effect,
  RequiredLeaf,
  StatementName,
} from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { Condition, Via } from "@svc-authorizer/policy/model/policy.ts";
import type { AuthzenAction, AuthzenResource, AuthzenSubject } from "./authzen-entities.ts";
import type { Asserter } from "./subjects/asserted-groups.ts";
import type { UnknownReason } from "./subjects/unknown-reason.ts";

/** A part of a result: items after `after` (exclusive) in UTF-8 byte order, at most `limit`. */
export interface SearchPage {
  readonly after?: string;
  readonly limit: number;
}

/** One page of results. */
export interface Found<T> {
  readonly results: readonly T[];
  /** Key after which the next page begins; undefined on the last page. */
  readonly next?: string;
  /** Number of all results, if it is known without a full search. */
  readonly total?: number;
  /** Of a subject that is no user: the groups whose policies decided, for the record. */
  readonly asserted?: Assertion | undefined;
}

/** A question about one subject. */
interface Asked {
  /** The caller, who may assert groups for the subject. */
  readonly asserter?: Asserter;
}

/** A found subject or resource. */
export interface FoundEntity {
  readonly type: string;
  readonly id: string;
}

/** AuthZEN search: the searched entity has a type and no id. */
export interface SubjectSearch {
  readonly subject: { readonly type: string; readonly properties?: Properties };
  readonly action: AuthzenAction;
  readonly resource: AuthzenResource;
  readonly context?: Properties;
  readonly page: SearchPage;
}
export interface ResourceSearch extends Asked {
  readonly subject: AuthzenSubject;
  readonly action: AuthzenAction;
  readonly resource: { readonly type: string; readonly properties?: Properties };
  readonly context?: Properties;
  readonly page: SearchPage;
}
/**
 * Action search finds the action names of the resource's type; for type `arn`, which has no names, all actions as
 * `service:Verb`.
 */
export interface ActionSearch extends Asked {
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
/** An allowed user, and the statement that allows. */
export interface WhoCanResult extends StatementName {
  readonly user: string;
  readonly via: readonly Via[];
}

/** `/what-can`. */
export interface WhatCan extends Asked {
  readonly user: string;
  /** As for a check. */
  readonly groups?: readonly string[];
  readonly token?: unknown;
  readonly resource: string;
  readonly context: DecisionContext;
  readonly page: SearchPage;
}
/** Actions that are allowed, `service:Verb`. */
export interface WhatCanAnswer extends Found<string> {
  readonly reason?: UnknownReason;
}

/** `/plan`. */
export interface PlanRequest extends Asked {
  readonly user: string;
  /** As for a check. */
  readonly groups?: readonly string[];
  readonly token?: unknown;
  readonly action: string;
  /** Narrows the plan to resources of a type. */
  readonly type?: string;
  readonly context: DecisionContext;
}
/**
 * The resources on which a user may act, as patterns: a resource is allowed if a pattern of `allow` (or of a
 * `conditional` allow whose condition holds) matches, and none of `deny` (or of a conditional deny) does.
 *
 * Patterns match as those of policies do (spec/evaluation §3): `*` matches everything; of two ARNs, service and account
 * are equal, regions are not compared, and `*` and `?` are wildcards in the last field only. `${user}` is filled in.
 *
 * Conditions are evaluated as far as the context and the user's registered properties allow; the rest reads only
 * unknown fields. If a condition cannot be evaluated, an allow is ignored and a deny applies. A conditional deny of `*`
 * may stand for a statement about another resource whose condition would be an error (spec/evaluation §2).
 *
 * `always`: every resource (of the type) is allowed. `never`: none is, and all lists are empty.
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
  readonly reason?: UnknownReason;
  /** As of {@link Found}. */
  readonly asserted?: Assertion | undefined;
}

/**
 * The searches. Results are exactly those for which an evaluation (or, for the native questions, a check) allows, in
 * UTF-8 byte order and complete over all pages while nothing changes. Each yields to other work at least every 10 ms
 * (spec/security §5.3). It rejects with "unavailable" if the store fails, with "invalid_request" if the work exceeds the
 * budget of a request (`authorizer.limits.work`), or with the reason of `signal` if that is aborted because the caller is
 * gone.
 */
export interface Searches {
  /** Throws "invalid_request" if the id of the resource makes its ARN ambiguous, as evaluations do. */
  subjects(search: SubjectSearch, signal?: AbortSignal): Promise<Found<FoundEntity>>;
  /** Among registered resources. */
  resources(search: ResourceSearch, signal?: AbortSignal): Promise<Found<FoundEntity>>;
  /** "invalid_request" as for {@link Searches.subjects}. */
  actions(search: ActionSearch, signal?: AbortSignal): Promise<Found<{ readonly name: string }>>;
  whoCan(question: WhoCan, signal?: AbortSignal): Promise<Found<WhoCanResult>>;
  whatCan(question: WhatCan, signal?: AbortSignal): Promise<WhatCanAnswer>;
  plan(request: PlanRequest, signal?: AbortSignal): Promise<Plan>;
}
