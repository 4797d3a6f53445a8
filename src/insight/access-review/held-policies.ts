/** The policies in force for users of an image of the directory. */

import type { NamedStatements, Via } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { DirectoryImage, ImagedUser } from "./directory-image.ts";

/** A policy, and the ways in which it reaches somebody. */
export interface HeldPolicy extends NamedStatements {
  readonly via: readonly Via[];
}

/** Finds policies. */
export class HeldPolicies {
  readonly #groups: ReadonlyMap<string, readonly string[]>;
  readonly #policies: ReadonlyMap<string, NamedStatements>;

  constructor({ groups, policies }: DirectoryImage) {
    this.#groups = new Map(groups.map(({ name, policies: own }) => [name, own]));
    this.#policies = new Map(policies.map((policy) => [policy.name, policy]));
  }

  /** The policies of a user, direct and through groups, sorted by name. */
  ofUser({
    name,
    groups,
    policies,
  }: Pick<ImagedUser, "name" | "groups" | "policies">): readonly HeldPolicy[] {
    const ways = new Map<string, Via[]>();
    const add = (policy: string, via: Via): void => {
      ways.set(policy, [...(ways.get(policy) ?? []), via]);
    };
    for (const policy of policies) add(policy, { user: name });
    for (const group of groups) for (const policy of this.#groups.get(group) ?? []) add(policy, { group });
    return [...ways]
      .flatMap(([policy, via]) => {
        const found = this.#policies.get(policy);
        return found === undefined ? [] : [{ name: policy, statement: found.statement, via }];
      })
      .sort((a, b) => compareUtf8(a.name, b.name));
  }
}
