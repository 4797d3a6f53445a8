/** Conditions as written: which operators exist and what is wrong with a condition (evaluation.md §7, §11). */

import { type Problem, pointTo } from "../errors.ts";
import { parseIpRange } from "./ip.ts";
import type { Condition } from "./policy.ts";

/** The data server's four operators, by what their values are. */
const OPERATORS: ReadonlyMap<string, "ip" | "pattern"> = new Map([
  ["IpAddress", "ip"],
  ["NotIpAddress", "ip"],
  ["StringLike", "pattern"],
  ["StringNotLike", "pattern"],
]);

/** Names of the operators, in the order of evaluation.md §7. */
export const CONDITION_OPERATORS: readonly string[] = [...OPERATORS.keys()];

/** What an operator's values are, or undefined for an unknown operator. Case sensitive. */
export function operatorValues(operator: string): "ip" | "pattern" | undefined {
  return OPERATORS.get(operator);
}

function valueProblems(kind: "ip" | "pattern", values: readonly string[], pointer: string): Problem[] {
  if (values.length === 0) return [{ pointer, message: "has no values; name at least one" }];
  if (kind === "pattern") return [];
  const problems: Problem[] = [];
  for (const [index, value] of values.entries()) {
    if (parseIpRange(value) !== undefined) continue;
    problems.push({
      pointer: `${pointer}/${index}`,
      message: "is no IP address or CIDR, such as 10.0.0.0/8 or 2001:db8::/32",
    });
  }
  return problems;
}

/**
 * What makes a condition unfit to be stored: unknown operators (one locks its user out), empty field names, empty
 * value lists, IP values that cannot be parsed (evaluation.md §11). All problems at once.
 * @param pointer JSON pointer of the condition in its document
 */
export function conditionProblems(condition: Condition, pointer: string): Problem[] {
  const problems: Problem[] = [];
  for (const [operator, fields] of Object.entries(condition)) {
    const operatorPointer = pointTo(pointer, operator);
    const kind = operatorValues(operator);
    if (kind === undefined) {
      const known = CONDITION_OPERATORS.join(", ");
      problems.push({ pointer: operatorPointer, message: `is an unknown operator; known are ${known}` });
      continue;
    }
    for (const [field, values] of Object.entries(fields)) {
      const fieldPointer = pointTo(operatorPointer, field);
      if (field === "") problems.push({ pointer: fieldPointer, message: "the field name is empty" });
      problems.push(...valueProblems(kind, values, fieldPointer));
    }
  }
  return problems;
}
