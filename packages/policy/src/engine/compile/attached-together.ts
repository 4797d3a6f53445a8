/**
 * Chooses the policies that are compiled together: those of each group, which its members share, and separately those
 * that only the user has.
 */

import type { HeldPolicies, StoredPolicy } from "../../model/held-policies.ts";
import { compareUtf8 } from "../../model/utf8-order.ts";

/**
 * Largest number of sets of a user, since each adds to the cost of a decision. Beyond it, the smallest groups are
 * combined.
 */
const MOST_SETS = 8;
/**
 * Number of statements from which a directly attached policy is a set of its own, because other users may have it too.
 */
const LARGE_POLICY = 250;
/** Policies of the user that are a set of their own. */
const MOST_OWN_SETS = 3;

/**
 * The parts of a user's policies, each ordered by name. The list of a group is one part, so that all members share the
 * same list.
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
