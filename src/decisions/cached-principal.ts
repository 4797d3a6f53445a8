/** A user with compiled policies, as the cache keeps it and as decisions, records and counts of use see it. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { Assertion } from "@svc-authorizer/policy/model/decision.ts";
import type { HeldPolicies } from "@svc-authorizer/policy/model/held-policies.ts";
import type { Via } from "@svc-authorizer/policy/model/policy.ts";
import type { Principal } from "../directory/principal.ts";
import type { DecidingPolicies } from "./decision-log.ts";
import type { UserUse, UsingUser } from "./usage.ts";

/** The input of a decision: the policies of a user, or such as are only tried. */
export interface UserPolicies extends DecidingPolicies {
  readonly cache: "hit" | "miss";
  /** The user whose use counts; absent for what is only tried. */
  readonly counted?: CachedPrincipal;
}

/**
 * A user with compiled policies. A decision needs one object of a user and what users share, because with thousands of
 * users each further object is read from slow memory.
 */
export class CachedPrincipal implements UserPolicies, UsingUser {
  readonly principal: Principal;
  readonly policies: CompiledPolicies;
  readonly username: string;
  readonly userId: string;
  /** See {@link Principal.isInactive}. */
  readonly isInactive: boolean;
  readonly cache = "hit";
  /** Present for a subject that is no user: whose groups the policies are. */
  readonly asserted: Assertion | undefined;
  readonly via: (policy: string) => readonly Via[];
  /** The counts of use; undefined before the first decision that counts. */
  use: UserUse | undefined = undefined;

  /** Denies writes to mirrors, beside the user's own policies; undefined where there are none. */
  readonly rule: HeldPolicies | undefined;

  constructor(principal: Principal, policies: CompiledPolicies, asserted?: Assertion, rule?: HeldPolicies) {
    this.rule = rule;
    this.principal = principal;
    this.policies = policies;
    this.username = principal.username;
    this.userId = principal.id;
    this.isInactive = principal.isInactive;
    this.asserted = asserted;
    this.via = (policy) => viaOf(principal, policy);
  }

  get counted(): CachedPrincipal {
    return this;
  }

  get onlyVia(): Via | undefined {
    if (this.rule !== undefined) return undefined;
    const held = this.principal.held.filter(({ policies }) => policies.length > 0);
    const [one] = held;
    if (one === undefined || held.length > 1) return undefined;
    // A user with too many policies is denied everything by one that nobody gave.
    const [first] = this.policies.sets[0]?.policies ?? [];
    return one.policies.some(({ name }) => name === first?.source.name) ? one.via : undefined;
  }
}

/** The policies of a user for a decision, with whether they were in the cache. */
export function policiesOf(user: CachedPrincipal, cache: UserPolicies["cache"] = "hit"): UserPolicies {
  if (cache === "hit") return user;
  const { policies, via, asserted } = user;
  return { policies, via, asserted, cache, counted: user };
}

function viaOf({ held }: Principal, policy: string): readonly Via[] {
  return held.flatMap(({ via, policies }) => (policies.some(({ name }) => name === policy) ? [via] : []));
}
