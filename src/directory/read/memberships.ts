/** Groups and policies of users: those in the same groups share one object, which a cache of many users needs. */

import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";

/** A group with its list of policies, of which there is one object for each group and state. */
export interface GroupWithPolicies {
  readonly id: string;
  readonly name: string;
  readonly policies: readonly StoredPolicy[];
}

/** The groups of a user, and what the user has through them. */
export interface Memberships {
  /** Internal ids of all groups. */
  readonly groups: readonly string[];
  /** Of the groups that have policies. */
  readonly held: readonly HeldPolicies[];
}

/** Users of more groups share nothing: each further group is a step of the look-up. */
const MOST_SHARED = 16;

/** Finds the shared object by the groups' lists; what nobody holds leaves memory. */
export class SharedMemberships {
  readonly #none: Shared = { groups: [], held: [], longer: new WeakMap() };

  /** The memberships of a user in these groups, in this order. */
  of(groups: readonly GroupWithPolicies[]): Memberships {
    if (groups.length > MOST_SHARED) return membershipsOf(groups);
    let shared = this.#none;
    for (const [index, { policies }] of groups.entries()) {
      let longer = shared.longer.get(policies);
      if (longer === undefined) {
        longer = { ...membershipsOf(groups.slice(0, index + 1)), longer: new WeakMap() };
        shared.longer.set(policies, longer);
      }
      shared = longer;
    }
    return shared;
  }
}

interface Shared extends Memberships {
  /** The same with one more group, by the list of that group. */
  readonly longer: WeakMap<readonly StoredPolicy[], Shared>;
}

function membershipsOf(groups: readonly GroupWithPolicies[]): Memberships {
  const withPolicies = groups.filter(({ policies }) => policies.length > 0);
  return {
    groups: groups.map(({ id }) => id),
    held: withPolicies.map(({ id, name, policies }) => ({ holder: id, via: { group: name }, policies })),
  };
}
