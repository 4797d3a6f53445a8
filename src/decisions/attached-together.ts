/**
 * Which policies of a user are best compiled together: those of each group, which its members share, and apart from
 * them those that only the user has.
 */

import type { HeldPolicies, StoredPolicy } from "../directory/directory.ts";
import { compareUtf8 } from "../model/utf8-order.ts";

/** Most sets of a user: each costs every decision a little. The smallest groups are put together beyond. */
const MOST_SETS = 8;
/** From this many statements on, a policy attached to the user is a set of its own, for others may have it too. */
const LARGE_POLICY = 250;
/** Policies of the user that are a set of their own. */
const MOST_OWN_SETS = 3;

/**
 * Parts of what is held, each in the order of the names of its policies. The list of a group is a part as it is, so
 * that all members have the very same list.
 */
export function attachedTogether(held: readonly HeldPolicies[]): readonly (readonly StoredPolicy[])[] {
  const parts = held.flatMap(({ via, policies }) => ("user" in via ? ownParts(policies) : [policies]));
  if (parts.length <= MOST_SETS) return parts.length === 0 ? [[]] : parts;
  const bySize = [...parts].sort((a, b) => sizeOf(b) - sizeOf(a));
  const rest = new Map(
    bySize
      .slice(MOST_SETS - 1)
      .flat()
      .map((policy) => [policy.name, policy]),
  );
  const together = [...rest.values()].sort((a, b) => compareUtf8(a.name, b.name));
  return [...bySize.slice(0, MOST_SETS - 1), together];
}

function ownParts(policies: readonly StoredPolicy[]): readonly (readonly StoredPolicy[])[] {
  const large = policies.filter(({ statement }) => statement.length >= LARGE_POLICY).slice(0, MOST_OWN_SETS);
  if (large.length === 0) return [policies];
  const small = policies.filter((policy) => !large.includes(policy));
  return [...large.map((policy) => [policy]), ...(small.length > 0 ? [small] : [])];
}

function sizeOf(policies: readonly StoredPolicy[]): number {
  return policies.reduce((sum, { statement }) => sum + statement.length, 0);
}
