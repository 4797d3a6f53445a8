/** The statements that allow something today, and the fewest of them that allow what is needed. */

import { type CompiledPolicies, compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";
import type { NeededPermission } from "./used-requests.ts";

/** An allowing statement, apart from the others. */
export interface AllowStatement {
  readonly policy: string;
  readonly index: number;
  readonly statement: Statement;
  /** Its resource patterns as written, the most exact first. */
  readonly resources: readonly string[];
}

/** Returns the statements that do not deny. */
export function allowStatements(policies: readonly NamedStatements[]): readonly AllowStatement[] {
  return policies.flatMap(({ name: policy, statement: all }) =>
    all.flatMap((statement, index) => {
      const resources = statement.effect === "deny" ? undefined : parseResourceText(statement.resource);
      if (resources === undefined) return [];
      return [{ policy, index, statement, resources: [...resources].sort(byExactness) }];
    }),
  );
}

function byExactness(one: string, other: string): number {
  return literalLength(other) - literalLength(one);
}

function literalLength(pattern: string): number {
  return /[*?]/.test(pattern) ? pattern.search(/[*?]/) : pattern.length + 1;
}

/** Decides with single statements and single resources of them. */
export class SingleStatements {
  readonly #partition: string;
  readonly #compiled = new Map<string, CompiledPolicies>();

  constructor(partition: string) {
    this.#partition = partition;
  }

  /** True if the statement alone allows what is needed. */
  allows({ policy, index, statement }: AllowStatement, needed: NeededPermission): boolean {
    return this.#decides(`${policy}\n${index}`, statement, needed);
  }

  /** The most exact resource of the statement that allows what is needed, as written. */
  resourceFor(
    { policy, index, statement, resources }: AllowStatement,
    needed: NeededPermission,
  ): string | undefined {
    return resources.find((resource, place) =>
      this.#decides(`${policy}\n${index}\n${place}`, { ...statement, resource: [resource] }, needed),
    );
  }

  #decides(
    key: string,
    statement: Omit<Statement, "resource"> & { readonly resource: string | readonly string[] },
    { user, action, resource, context }: NeededPermission,
  ): boolean {
    let compiled = this.#compiled.get(key);
    if (compiled === undefined) {
      const text =
        typeof statement.resource === "string" ? statement.resource : JSON.stringify(statement.resource);
      const one: NamedStatements = { name: "one", statement: [{ ...statement, resource: text }] };
      compiled = compile([one], { partition: this.#partition, evaluator: "extended" });
      this.#compiled.set(key, compiled);
    }
    const required: RequiredPermissions =
      resource === undefined ? { any_resource: { action } } : { action, resource };
    return decide(compiled, { user, required, context }).effect === "allow";
  }
}

/** Statements with what they have to allow. */
export type Cover = ReadonlyMap<AllowStatement, readonly NeededPermission[]>;

/**
 * Chooses statements that together allow everything that is needed: at each step the one that allows most of the rest.
 * What no statement allows alone is left out.
 */
export function coverOf(
  statements: readonly AllowStatement[],
  needed: readonly NeededPermission[],
  singles: SingleStatements,
): Cover {
  const candidates = new Map(
    statements.map((statement) => [statement, needed.filter((one) => singles.allows(statement, one))]),
  );
  const cover = new Map<AllowStatement, readonly NeededPermission[]>();
  for (;;) {
    let best: AllowStatement | undefined;
    for (const [statement, rest] of candidates) {
      const most = best === undefined ? 0 : (candidates.get(best)?.length ?? 0);
      if (rest.length > most) best = statement;
    }
    if (best === undefined) return cover;
    const covered = candidates.get(best) ?? [];
    cover.set(best, covered);
    const done = new Set(covered);
    candidates.delete(best);
    for (const [statement, rest] of candidates) {
      candidates.set(
        statement,
        rest.filter((one) => !done.has(one)),
      );
    }
  }
}
