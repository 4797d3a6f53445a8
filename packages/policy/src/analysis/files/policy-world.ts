/** Users, groups and policies from files, without a store: which policies are in force for which user. */

import type { Problem } from "../../errors.ts";
import type { NamedStatements, Via } from "../../model/policy.ts";
import { RegisteredWorld } from "./registered-world.ts";
import type { Attached } from "./test-file.ts";

/** A policy that is in force for a user. */
interface HeldPolicy {
  readonly policy: NamedStatements;
  readonly via: readonly Via[];
}

/** Users and groups with their attachments, and policies. */
export class PolicyWorld {
  readonly #policies = new Map<string, NamedStatements>();
  readonly #groups = new Map<string, readonly string[]>();
  readonly #users = new Map<string, Attached>();
  readonly #problems: Problem[] = [];
  /** Registered properties of the users and resources. */
  readonly registered = new RegisteredWorld();

  /** Problems with the names added so far. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Adds policies; a name given twice with different statements is a problem. */
  addPolicies(policies: readonly NamedStatements[], file: string): void {
    for (const policy of policies) {
      const known = this.#policies.get(policy.name);
      if (known === undefined) this.#policies.set(policy.name, policy);
      else if (JSON.stringify(known.statement) !== JSON.stringify(policy.statement)) {
        this.#problems.push({
          file,
          pointer: "",
          message: `defines the policy ${policy.name} anew, differently`,
        });
      }
    }
  }

  /** Adds a group, or policies to a group that is there. */
  addGroup(name: string, policies: readonly string[] = []): void {
    this.#groups.set(name, [...(this.#groups.get(name) ?? []), ...policies]);
  }

  /** Adds a user, or attachments to a user who is there. */
  addUser(username: string, { groups = [], policies = [] }: Attached): void {
    const known = this.#users.get(username);
    this.#users.set(username, {
      groups: [...(known?.groups ?? []), ...groups],
      policies: [...(known?.policies ?? []), ...policies],
    });
  }

  /** All policies. */
  get policies(): readonly NamedStatements[] {
    return [...this.#policies.values()];
  }

  /** True if there is a group of this name. */
  hasGroup(name: string): boolean {
    return this.#groups.has(name);
  }

  /** Names of all users. */
  get users(): readonly string[] {
    return [...this.#users.keys()];
  }

  /**
   * The policies in force for a user: direct ones and those of groups, each once.
   * @param more attachments beside those that the user has
   * @returns texts that say what is missing, where a name is not known
   */
  heldBy(username: string, more: Attached = {}): readonly HeldPolicy[] | readonly string[] {
    const known = this.#users.get(username);
    const missing: string[] = [];
    if (known === undefined && more.groups === undefined && more.policies === undefined) {
      missing.push(`there is no user ${username}, and the case names neither groups nor policies`);
    }
    const held = new Map<string, { policy: NamedStatements; via: Via[] }>();
    const hold = (name: string, via: Via): void => {
      const policy = this.#policies.get(name);
      if (policy === undefined) missing.push(`there is no policy ${name}`);
      else held.set(name, { policy, via: [...(held.get(name)?.via ?? []), via] });
    };
    for (const name of new Set([...(known?.policies ?? []), ...(more.policies ?? [])]))
      hold(name, { user: username });
    for (const group of new Set([...(known?.groups ?? []), ...(more.groups ?? [])])) {
      const policies = this.#groups.get(group);
      if (policies === undefined) missing.push(`there is no group ${group}`);
      for (const name of new Set(policies)) hold(name, { group });
    }
    return missing.length > 0 ? [...new Set(missing)] : [...held.values()];
  }
}

/** True for an answer of {@link PolicyWorld.heldBy} that names what is missing. */
export function isMissing(held: readonly HeldPolicy[] | readonly string[]): held is readonly string[] {
  return typeof held[0] === "string";
}
