/**
 * A data server's own set-up, made repeatable: it creates base groups, base policies and attachments and stops at the
 * first that exists, so one that ended half-way could never be finished. While `Admins` has no member, what exists
 * with the same content counts as created.
 */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Group } from "@svc-authorizer/policy/model/entities.ts";
import type { NamedStatements, Policy, Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { Directory } from "../directory.ts";
import type { NewGroup, NewPolicy } from "../new-entities.ts";

const ADMINS = "Admins";

/** The entities that a set-up creates: the catalog's preconfigured groups and policies. */
interface BaseEntities {
  readonly groups: readonly { readonly name: string }[];
  readonly policies: readonly NamedStatements[];
}

/** The three writes of a set-up that may be repeated. */
export class RepeatableSetup {
  readonly #directory: Directory;
  readonly #groups: ReadonlySet<string>;
  readonly #policies: ReadonlySet<string>;

  constructor(directory: Directory, base: BaseEntities) {
    this.#directory = directory;
    this.#groups = new Set(base.groups.map(({ name }) => name));
    this.#policies = new Set(base.policies.map(({ name }) => name));
  }

  /** As `groups.create`; a base group that exists with the same description is returned. */
  async createGroup(group: NewGroup): Promise<Group> {
    const { groups } = this.#directory;
    try {
      return await groups.create(group);
    } catch (error) {
      if (!this.#groups.has(group.name) || !(await this.#isRepeated(error))) throw error;
      const known = await groups.get(group.name);
      if ((known.description ?? "") !== (group.description ?? "")) throw error;
      return known;
    }
  }

  /** As `policies.create`; a base policy that exists with the same statements and label is returned. */
  async createPolicy(policy: NewPolicy): Promise<Policy> {
    const { policies } = this.#directory;
    try {
      return await policies.create(policy);
    } catch (error) {
      if (!this.#policies.has(policy.name) || !(await this.#isRepeated(error))) throw error;
      const known = await policies.get(policy.name);
      const isSame = (known.acl ?? "") === (policy.acl ?? "") && contentOf(known) === contentOf(policy);
      if (!isSame) throw error;
      return known;
    }
  }

  /** As `groups.attachPolicy`; nothing for a base policy that is attached to a base group. */
  async attachPolicyToGroup(group: string, policy: string): Promise<void> {
    try {
      await this.#directory.groups.attachPolicy(group, policy);
    } catch (error) {
      const isBase = this.#groups.has(group) && this.#policies.has(policy);
      if (!isBase || !(await this.#isRepeated(error))) throw error;
    }
  }

  /** True for "already_exists" while there is no administrator: no group `Admins`, or no member in it. */
  async #isRepeated(error: unknown): Promise<boolean> {
    if (!isErrorCode(error, "already_exists")) return false;
    try {
      const { results } = await this.#directory.groups.members(ADMINS, { amount: 1 });
      return results.length === 0;
    } catch (missing) {
      if (isErrorCode(missing, "not_found")) return true;
      throw missing;
    }
  }
}

/** The statements as a text that is equal for equal content; a condition without operators is none. */
function contentOf({ statement }: { readonly statement: readonly Statement[] }): string {
  return JSON.stringify(
    statement.map(({ effect, action, resource, condition }) => [effect, action, resource, sorted(condition)]),
  );
}

function sorted(condition: Statement["condition"]): unknown {
  const operators = Object.entries(condition ?? {}).map(
    ([operator, fields]) => [operator, Object.entries(fields).sort(byName)] as const,
  );
  return operators.sort(byName);
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : Number(a[0] > b[0]);
}
