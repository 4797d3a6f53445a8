/**
 * Chooses the policies that are compiled together: those of each group, which its members share, and separately those
 * that only the user has. Long lists are compiled in pieces, so that a change of one policy costs what its piece costs.
 */

import type { HeldPolicies, StoredPolicy } from "../../model/held-policies.ts";
import { piecesOf } from "../../model/policy-lists.ts";

/** Policies from which on the list of a holder is compiled in pieces. */
const LONG_LIST = 2_000;
/**
 * Number of statements from which a directly attached policy is a set of its own, because other users may have it too.
 */
const LARGE_POLICY = 250;
/** Policies of the user that are a set of their own. */
const MOST_OWN_SETS = 3;

/** The policies of one holder. */
export type PoliciesOfHolder = Pick<HeldPolicies, "via" | "policies">;

/**
 * The parts of a user's policies, each ordered by name. The list of a group is one part, or the same pieces for all members,
 * so that all share the same lists.
 */
export function attachedTogether(held: readonly PoliciesOfHolder[]): readonly (readonly StoredPolicy[])[] {
  const parts: (readonly StoredPolicy[])[] = [];
  for (const { via, policies } of held) {
    if (policies.length >= LONG_LIST) parts.push(...piecesOf(policies));
    else if ("user" in via) parts.push(...ownParts(policies));
    else parts.push(policies);
  }
  return parts.length === 0 ? [[]] : parts;
}

function ownParts(policies: readonly StoredPolicy[]): readonly (readonly StoredPolicy[])[] {
  const large = policies.filter(({ statement }) => statement.length >= LARGE_POLICY).slice(0, MOST_OWN_SETS);
  if (large.length === 0) return [policies];
  const small = policies.filter((policy) => !large.includes(policy));
  return [...large.map((policy) => [policy]), ...(small.length > 0 ? [small] : [])];
}
