/** The policies of a user in a state: his own and those of his groups, by holder. */

import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { ReplicaState, ReplicaUser } from "./replica-state.ts";

/** Lists of one state. A group's list is the same for all of its members. */
export class Holdings {
  readonly #state: ReplicaState;
  readonly #ofGroups = new Map<string, readonly StoredPolicy[]>();

  constructor(state: ReplicaState) {
    this.#state = state;
  }

  /** The policies of a user by holder, each list in UTF-8 byte order of the names. */
  of(username: string, { id }: ReplicaUser): readonly HeldPolicies[] {
    const { userGroups, userPolicies, groups } = this.#state;
    const held: HeldPolicies[] = [];
    const own = this.#attached(userPolicies.of(id));
    if (own.length > 0) held.push({ holder: id, via: { user: username }, policies: own });
    for (const [group, groupId] of userGroups.of(id)) {
      if (groups.get(group)?.id !== groupId) continue;
      const policies = this.#ofGroup(groupId);
      if (policies.length > 0) held.push({ holder: groupId, via: { group }, policies });
    }
    return held;
  }

  #ofGroup(id: string): readonly StoredPolicy[] {
    let policies = this.#ofGroups.get(id);
    if (policies === undefined) {
      policies = this.#attached(this.#state.groupPolicies.of(id));
      this.#ofGroups.set(id, policies);
    }
    return policies;
  }

  #attached(references: Iterable<readonly [name: string, id: string]>): readonly StoredPolicy[] {
    const found: StoredPolicy[] = [];
    for (const [name, id] of references) {
      const policy = this.#state.policies.get(name);
      if (policy?.id !== id) continue;
      found.push({ id, version: policy.rev, name, statement: policy.statement } as StoredPolicy);
    }
    return found.sort((a, b) => compareUtf8(a.name, b.name));
  }
}
