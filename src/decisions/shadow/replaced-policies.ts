/** A directory in which other statements take the place of those of some policies: what if these were put. */

import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { EffectivePolicy, NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { Directory } from "../../directory/directory.ts";
import type { Principal } from "../../directory/principal.ts";

/**
 * Returns the directory as if policies were replaced.
 * @param policies by name; those that nobody has stored change nothing
 * @param version tells these statements from those of the directory, and from other replacements
 */
export function withReplacedPolicies(
  directory: Directory,
  policies: readonly NamedStatements[],
  version: string,
): Directory {
  const replaced = new Replaced(new Map(policies.map((policy) => [policy.name, policy])), version);
  return {
    ...directory,
    principal: async (username) => {
      const principal = await directory.principal(username);
      return principal && replaced.principal(principal);
    },
    principalOfGroups: async (names) => {
      const found = await directory.principalOfGroups(names);
      return { ...replaced.principal(found), names: found.names, isComplete: found.isComplete };
    },
  };
}

class Replaced {
  readonly #policies: ReadonlyMap<string, NamedStatements>;
  readonly #version: string;
  /** All members of a group have one list, which stays one. */
  readonly #lists = new WeakMap<readonly StoredPolicy[], readonly StoredPolicy[]>();

  constructor(policies: ReadonlyMap<string, NamedStatements>, version: string) {
    this.#policies = policies;
    this.#version = version;
  }

  principal(principal: Principal): Principal {
    const { id, username, properties, isInactive, isOfService, groups } = principal;
    const held = principal.held.map((one): HeldPolicies => ({ ...one, policies: this.#list(one.policies) }));
    let all: readonly EffectivePolicy[] | undefined;
    const policies = () => {
      all ??= principal.policies.map((policy) => this.#policy(policy));
      return all;
    };
    return {
      id,
      username,
      properties,
      isInactive,
      isOfService,
      groups,
      held,
      get policies() {
        return policies();
      },
    };
  }

  #list(list: readonly StoredPolicy[]): readonly StoredPolicy[] {
    let known = this.#lists.get(list);
    if (known === undefined) {
      known = list.map((policy) => this.#policy(policy));
      this.#lists.set(list, known);
    }
    return known;
  }

  #policy<T extends StoredPolicy>(policy: T): T {
    const other = this.#policies.get(policy.name);
    if (other === undefined) return policy;
    return { ...policy, version: `${policy.version} ${this.#version}`, statement: other.statement };
  }
}
