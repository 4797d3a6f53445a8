/**
 * Policies in a form that a data server can evaluate and that never grants more (spec/decision-api §4;
 * spec/security §3.3). A data server knows four operators and the field `SourceIp`; an operator it does not know denies
 * its user everything, and a deny on a field it does not know is skipped.
 */

import { isExtended } from "@svc-authorizer/policy/model/condition.ts";
import { type Operator, operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { unknownMember } from "@svc-authorizer/policy/model/policy-members.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";

/** The replacement of a statement in the portable form. */
export type Rewriting = "left_out" | "unconditional" | "guarded" | "denies";

/** The portable form of a list of statements. */
export interface PortableStatements {
  /** The same list if it is already portable. */
  readonly statements: readonly Statement[];
  /** The changes to rewritten statements. */
  readonly rewritten: readonly Rewriting[];
}

function isPlainIp(operator: Operator | undefined): boolean {
  return operator?.plain === true && operator.kind === "ip";
}

/**
 * The part of a statement that can deny everything, as a statement without another effect; undefined if there is none.
 * An operator that nobody knows always does. Otherwise only values and addresses of the data server's IP operators can be
 * erroneous, depending on the context.
 */
export function guardOf({ condition }: Statement): Statement | undefined {
  const denying = Object.entries(condition ?? {}).filter(([name, fields]) => {
    const operator = operatorOf(name);
    return operator === undefined || (isPlainIp(operator) && Object.keys(fields).length > 0);
  });
  if (denying.length === 0) return undefined;
  return { effect: "deny", action: ["none:None"], resource: "*", condition: Object.fromEntries(denying) };
}

/** Replaces a statement with a member that is not known here: a data server would ignore the member, and grant the rest. */
const DENY_EVERYTHING: Statement = { effect: "deny", action: ["*"], resource: "*" };

/** Statements as every data server may get them: one with a member that is not known denies everything. */
export function knownStatements(given: readonly Statement[]): readonly Statement[] {
  const isUnknown = (statement: Statement): boolean => unknownMember(statement) !== undefined;
  return given.some(isUnknown)
    ? given.map((statement) => (isUnknown(statement) ? DENY_EVERYTHING : statement))
    : given;
}

/** A deny without its condition. A statement with a broken resource text stays, because it denies everything. */
function portable(statement: Statement): { readonly kept: readonly Statement[]; readonly how: Rewriting } {
  const { effect, action, resource } = statement;
  const guard = guardOf(statement);
  const guards = guard === undefined ? [] : [guard];
  if (effect === "deny" || parseResourceText(resource) === undefined) {
    return { kept: [{ effect: "deny", action, resource }, ...guards], how: "unconditional" };
  }
  return { kept: guards, how: guards.length === 0 ? "left_out" : "guarded" };
}

/** The portable form of statements. It has no `sid`, because a data server has no such field. */
export function portableStatements(given: readonly Statement[]): PortableStatements {
  const known = knownStatements(given);
  const rewritten: Rewriting[] = known.flatMap((one, index) => (one === given[index] ? [] : ["denies"]));
  const named = known.some(({ sid }) => sid !== undefined);
  const statements = named ? known.map(({ sid: _, ...statement }) => statement) : known;
  if (!statements.some(({ condition }) => isExtended(condition))) return { statements, rewritten };
  const kept = statements.flatMap((statement) => {
    if (!isExtended(statement.condition)) return [statement];
    const form = portable(statement);
    rewritten.push(form.how);
    return form.kept;
  });
  return { statements: kept, rewritten };
}
