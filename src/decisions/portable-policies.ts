/**
 * Policies in a form that a data server can evaluate and that never grants more (decision-api.md §4;
 * security.md §3.3). A data server knows four operators and the field `SourceIp`; an operator it does not know denies
 * its user everything, and a deny on a field it does not know is skipped.
 */

import { isExtended } from "../model/condition.ts";
import { type Operator, operatorOf } from "../model/condition-operators.ts";
import type { Statement } from "../model/policy.ts";
import { parseResourceText } from "../model/resource-text.ts";

/** What a portable form puts in place of a statement. */
export type Rewriting = "left_out" | "unconditional" | "guarded";

/** The portable form of a list of statements. */
export interface PortableStatements {
  /** The very list where it is portable as it stands. */
  readonly statements: readonly Statement[];
  /** What was done to the statements that had to be rewritten. */
  readonly rewritten: readonly Rewriting[];
}

function isPlainIp(operator: Operator | undefined): boolean {
  return operator?.plain === true && operator.kind === "ip";
}

/**
 * What of a statement can deny everything, as a statement that does nothing else; undefined where nothing can. Only
 * values and addresses of the data server's IP operators are erroneous, at a time that the context decides.
 */
export function guardOf({ condition }: Statement): Statement | undefined {
  const ip = Object.entries(condition ?? {}).filter(
    ([name, fields]) => isPlainIp(operatorOf(name)) && Object.keys(fields).length > 0,
  );
  if (ip.length === 0) return undefined;
  return { effect: "deny", action: ["none:None"], resource: "*", condition: Object.fromEntries(ip) };
}

/** The statement without its condition where it denies; a broken resource text denies everything, so it stays. */
function portable(statement: Statement): { readonly kept: readonly Statement[]; readonly how: Rewriting } {
  const { effect, action, resource } = statement;
  const guard = guardOf(statement);
  const guards = guard === undefined ? [] : [guard];
  if (effect === "deny" || parseResourceText(resource) === undefined) {
    return { kept: [{ effect: "deny", action, resource }, ...guards], how: "unconditional" };
  }
  return { kept: guards, how: guards.length === 0 ? "left_out" : "guarded" };
}

/** The portable form of statements. It has no `sid`, which a data server has no field for. */
export function portableStatements(given: readonly Statement[]): PortableStatements {
  const named = given.some(({ sid }) => sid !== undefined);
  const statements = named ? given.map(({ sid: _, ...statement }) => statement) : given;
  if (!statements.some(({ condition }) => isExtended(condition))) return { statements, rewritten: [] };
  const rewritten: Rewriting[] = [];
  const kept = statements.flatMap((statement) => {
    if (!isExtended(statement.condition)) return [statement];
    const form = portable(statement);
    rewritten.push(form.how);
    return form.kept;
  });
  return { statements: kept, rewritten };
}
