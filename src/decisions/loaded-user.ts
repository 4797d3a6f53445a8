/** Compiled policies as decisions, their records and the counts of use see them. */

import type { Principal } from "../directory/directory.ts";
import type { CompiledPolicies } from "../engine/compile.ts";
import type { Assertion } from "../model/decision.ts";
import type { Via } from "../model/policy.ts";
import type { DecidingPolicies } from "./decision-log.ts";
import type { UserUse, UsingUser } from "./usage.ts";

/** A user with compiled policies. */
export interface PrincipalWithPolicies {
  readonly principal: Principal;
  readonly policies: CompiledPolicies;
  /** Present for a subject that is no user: whose groups the policies are. */
  readonly asserted?: Assertion | undefined;
}

/** The input of a decision: the policies of a user, or such as are only tried. */
export interface UserPolicies extends DecidingPolicies {
  readonly cache: "hit" | "miss";
  /** The user whose use counts; absent for what is only tried. */
  readonly counted?: LoadedUser;
}

/** A user whose policies decide; made once for each user in the cache. */
export class LoadedUser implements UserPolicies, UsingUser {
  readonly policies: CompiledPolicies;
  readonly via: (policy: string) => readonly Via[];
  readonly asserted: Assertion | undefined;
  readonly username: string;
  readonly userId: string;
  readonly onlyVia: Via | undefined;
  readonly cache = "hit";
  /** The counts of use; undefined before the first decision that counts. */
  use: UserUse | undefined = undefined;

  constructor(user: PrincipalWithPolicies) {
    const { principal, policies, asserted } = user;
    this.policies = policies;
    this.via = (policy) => viaOf(user, policy);
    this.asserted = asserted;
    this.username = principal.username;
    this.userId = principal.id;
    this.onlyVia = onlyViaOf(user);
  }

  get counted(): LoadedUser {
    return this;
  }
}

/** The ways in which a policy reaches a user. */
export function viaOf({ principal }: PrincipalWithPolicies, policy: string): readonly Via[] {
  return principal.held.flatMap(({ via, policies }) =>
    policies.some(({ name }) => name === policy) ? [via] : [],
  );
}

function onlyViaOf({ principal, policies }: PrincipalWithPolicies): Via | undefined {
  const held = principal.held.filter((one) => one.policies.length > 0);
  const [one] = held;
  if (one === undefined || held.length > 1) return undefined;
  // A user with too many policies is denied everything by one that nobody gave.
  const [first] = policies.sets[0]?.policies ?? [];
  return one.policies.some(({ name }) => name === first?.source.name) ? one.via : undefined;
}
