/** The effective policies of a user: those of all holders, each once, with every way in which it reaches the user. */

import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { EffectivePolicy, Via } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";

/** Policies distinct by name, sorted by name in UTF-8 byte order. */
export function effectivePolicies(held: readonly HeldPolicies[]): readonly EffectivePolicy[] {
  const byName = new Map<string, { readonly policy: StoredPolicy; readonly via: Via[] }>();
  for (const { via, policies } of held) {
    for (const policy of policies) {
      const known = byName.get(policy.name);
      if (known === undefined) byName.set(policy.name, { policy, via: [via] });
      else known.via.push(via);
    }
  }
  const all = [...byName.values()].map(({ policy, via }) => ({ ...policy, via }));
  return all.sort((a, b) => compareUtf8(a.name, b.name));
}
