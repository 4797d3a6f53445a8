/** Groups and policies of users: those in the same groups share one object, which a cache of many users needs. */

import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";

/** A group as its members' lists name it. */
export interface ListedGroup {
  readonly id: string;
  readonly name: string;
}

/** The groups of a user, and what the user has through them. */
export interface Memberships {
  /** Internal ids of all groups. */
  readonly groups: readonly string[];
  /** Of the groups that have policies. */
  readonly held: readonly HeldPolicies[];
}

/** A list of policies for each of some groups, of which there is one object for each group and state. */
type PolicyLists = readonly (readonly StoredPolicy[])[];

/** Users of more groups share nothing: each further group is a step of the look-up. */
const MOST_SHARED = 16;

/** Finds the shared object by the groups' lists; what nobody holds leaves memory. */
export class SharedMemberships {
  readonly #none: Shared = { groups: [], held: [], longer: new WeakMap() };
  /** By a long list of groups, what its members had last, also of groups without policies. */
  readonly #long = new WeakMap<readonly ListedGroup[], Memberships>();

  /**
   * The memberships of a user.
   * @param groups in the order of the user's list; of a long list, the same object as long as it is the same list
   * @param lists the policies of each
   */
  of(groups: readonly ListedGroup[], lists: PolicyLists): Memberships {
    if (groups.length > MOST_SHARED) return this.#ofLong(groups, lists);
    let shared = this.#none;
    for (const [index, policies] of lists.entries()) {
      let longer = shared.longer.get(policies);
      if (longer === undefined) {
        const some = heldOf(groups.slice(0, index + 1), lists);
        longer = { ...some, held: some.held.filter(hasPolicies), longer: new WeakMap() };
        shared.longer.set(policies, longer);
      }
      shared = longer;
    }
    return shared;
  }

  /** As {@link of}; what did not change since the last time are the same objects. */
  #ofLong(groups: readonly ListedGroup[], lists: PolicyLists): Memberships {
    const last = this.#long.get(groups);
    const all = last === undefined ? heldOf(groups, lists) : { ...last, held: renewed(last.held, lists) };
    this.#long.set(groups, all);
    return {
      groups: all.groups,
      held: all.held.every(hasPolicies) ? all.held : all.held.filter(hasPolicies),
    };
  }
}

interface Shared extends Memberships {
  /** The same with one more group, by the list of that group. */
  readonly longer: WeakMap<readonly StoredPolicy[], Shared>;
}

/** The memberships, with what is held of groups without policies too. */
function heldOf(groups: readonly ListedGroup[], lists: PolicyLists): Memberships {
  return {
    groups: groups.map(({ id }) => id),
    held: groups.map(({ id, name }, index) => ({
      holder: id,
      via: { group: name },
      policies: lists[index]!,
    })),
  };
}

/** The policies of now in place of those that were held. */
function renewed(held: readonly HeldPolicies[], lists: PolicyLists): readonly HeldPolicies[] {
  return held.map((one, index) => {
    const policies = lists[index]!;
    return one.policies === policies ? one : { ...one, policies };
  });
}

function hasPolicies({ policies }: HeldPolicies): boolean {
  return policies.length > 0;
}
