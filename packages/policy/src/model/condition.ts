/**
 * Validation of conditions, and whether a data server can evaluate them (spec/evaluation §7,
 * spec/evaluation §11).
 */

import { type Problem, pointTo } from "../errors.ts";
import { parseBinary } from "./binary-values.ts";
import { OPERATOR_NAMES, type Operator, operatorOf } from "./condition-operators.ts";
import { parseDate, parseNumber } from "./condition-values.ts";
import { conditionArnProblem, parseTemplate } from "./condition-variables.ts";
import { parseIpRange } from "./ip.ts";
import type { Condition } from "./policy.ts";
import { parseBoolean } from "./truth-values.ts";

/** The only field that a data server supplies. */
export const SOURCE_IP = "SourceIp";

/**
 * Limits of attributes that become condition fields. They bound the cost of names and comparisons. Lengths are UTF-16
 * units.
 */
export const FIELD_LIMITS = {
  /** Fields of one object of attributes in a request, those of objects within it included. */
  fields: 10_000,
  /** Levels of objects within objects. */
  levels: 5,
  /** Length of a field's name, the dotted path. A longer name makes no field. */
  name: 256,
  /** Values of a list. */
  values: 1000,
  /** Length of all texts of a field together. */
  text: 65_536,
} as const;

const QUANTIFIED = /^(?:ForAnyValue:|ForAllValues:)/;

/**
 * True if a data server cannot evaluate the condition (spec/security §3.3): it has an operator other than the data
 * server's four, or a field other than {@link SOURCE_IP}. An unknown operator does not count: it denies everything, in
 * a data server and here.
 */
export function isExtended(condition: Condition | null | undefined): boolean {
  const operators = Object.entries(condition ?? {});
  if (!operators.every(([name]) => operatorOf(name) !== undefined)) return false;
  return operators.some(
    ([name, fields]) => !operatorOf(name)?.plain || Object.keys(fields).some((field) => field !== SOURCE_IP),
  );
}

/** The message for an unknown operator. */
function unknownOperator(name: string): string {
  if (name.replace(QUANTIFIED, "").replace(/IfExists$/, "") === "Null")
    return "is an unknown operator; Null takes neither IfExists nor ForAnyValue: or ForAllValues:";
  const known = OPERATOR_NAMES.join(", ");
  return `is an unknown operator; known are ${known}, each but Null also with IfExists behind it and with ForAnyValue: or ForAllValues: before it`;
}

/** The problem of one value, or undefined. */
function valueProblem({ kind, plain }: Operator, value: string): string | undefined {
  switch (kind) {
    case "text":
    case "folded":
    case "pattern": {
      const template = plain ? undefined : parseTemplate(value);
      return template !== undefined && "problem" in template ? template.problem : undefined;
    }
    case "arn":
      return conditionArnProblem(value);
    case "binary":
      return parseBinary(value) === undefined ? "is no base64" : undefined;
    case "number":
      if (parseNumber(value) !== undefined) return undefined;
      return "is no number, such as 12 or -0.5, of at most 2^53 - 1";
    case "date":
      if (parseDate(value) !== undefined) return undefined;
      return "is no date, such as 2026-01-31 or 2026-01-31T12:00:00Z, nor seconds since 1970";
    case "boolean":
    case "presence":
      return parseBoolean(value) === undefined ? 'is neither "true" nor "false"' : undefined;
    case "ip":
      if (parseIpRange(value) !== undefined) return undefined;
      return "is no IP address or CIDR, such as 10.0.0.0/8 or 2001:db8::/32";
  }
}

function fieldProblem(field: string): string | undefined {
  if (field === "") return "the field name is empty";
  if (field.length <= FIELD_LIMITS.name) return undefined;
  return `the field name has more than ${FIELD_LIMITS.name} characters: no request has such a field`;
}

function operatorProblems(
  operator: Operator,
  fields: Readonly<Record<string, readonly string[]>>,
  at: string,
): Problem[] {
  const problems: Problem[] = [];
  for (const [field, values] of Object.entries(fields)) {
    const pointer = pointTo(at, field);
    const named = fieldProblem(field);
    if (named !== undefined) problems.push({ pointer, message: named });
    // The pointer of each value would have the name.
    if (field.length > FIELD_LIMITS.name) continue;
    if (values.length === 0) problems.push({ pointer, message: "has no values; name at least one" });
    for (const [index, value] of values.entries()) {
      const message = valueProblem(operator, value);
      if (message !== undefined) problems.push({ pointer: pointTo(pointer, index), message });
    }
  }
  return problems;
}

/**
 * Lists all problems that keep a condition from being stored (spec/evaluation §11): unknown operators (one locks its user
 * out), empty field names, empty value lists, values that the operator cannot read, unknown variables.
 * @param pointer JSON pointer of the condition in its document
 */
export function conditionProblems(condition: Condition, pointer: string): Problem[] {
  return Object.entries(condition).flatMap(([name, fields]) => {
    const at = pointTo(pointer, name);
    const operator = operatorOf(name);
    if (operator === undefined) return [{ pointer: at, message: unknownOperator(name) }];
    return operatorProblems(operator, fields, at);
  });
}
