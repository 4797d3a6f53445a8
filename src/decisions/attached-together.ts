/**
 * Which policies of a user are best compiled together: those of each group, which its members share, and apart from
 * them those that only the user has.
 */

import type { EffectivePolicy } from "../model/policy.ts";

/** Most sets of a user: each costs every decision a little. The smallest groups are put together beyond. */
const MOST_SETS = 8;
/** From this many statements on, a policy attached to the user is a set of its own, for others may have it too. */
const LARGE_POLICY = 250;
const DIRECT = "";

/** Parts of the policies, each in the order given; a policy that several groups have is in several parts. */
export function attachedTogether(
  policies: readonly EffectivePolicy[],
): readonly (readonly EffectivePolicy[])[] {
  const byHolder = new Map<string, EffectivePolicy[]>();
  for (const policy of policies) {
    for (const holder of holdersOf(policy)) {
      const known = byHolder.get(holder);
      if (known === undefined) byHolder.set(holder, [policy]);
      else known.push(policy);
    }
  }
  const parts = [...byHolder.values()].sort((a, b) => sizeOf(b) - sizeOf(a));
  if (parts.length <= MOST_SETS) return parts.length === 0 ? [[]] : parts;
  const smallest = new Set(parts.slice(MOST_SETS - 1).flat());
  return [...parts.slice(0, MOST_SETS - 1), policies.filter((policy) => smallest.has(policy))];
}

/** Where a policy is filed: under its groups, else as the user's own. */
function holdersOf({ id, via, statement }: EffectivePolicy): readonly string[] {
  const groups = via.flatMap((one) => ("group" in one ? [`group ${one.group}`] : []));
  if (groups.length > 0) return groups;
  return [statement.length >= LARGE_POLICY ? `policy ${id}` : DIRECT];
}

function sizeOf(policies: readonly EffectivePolicy[]): number {
  return policies.reduce((sum, { statement }) => sum + statement.length, 0);
}
