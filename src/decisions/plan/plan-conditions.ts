/**
 * Conditions decided as far as a context goes: parts whose fields are all given are evaluated, variables that are
 * given are filled in, and what is left reads only what is not known yet (decision-api.md §3, `/plan`).
 */

import { CompiledCondition } from "../../engine/conditions.ts";
import { operatorOf } from "../../model/condition-operators.ts";
import { parseTemplate, type TemplatePart, USER_VARIABLE } from "../../model/condition-variables.ts";
import type { ConditionFields } from "../../model/decision.ts";
import type { Condition } from "../../model/policy.ts";

/** What is known: the fields that are given, and the name that `${user}` stands for. */
export interface Known {
  readonly user: string;
  readonly context: ConditionFields;
}

type Result = ReturnType<CompiledCondition["evaluate"]>;

/** What a condition comes to: decided whatever is not given turns out to be, or open with what is left of it. */
export type Resolved =
  | { readonly is: Result }
  | {
      readonly is: "open";
      readonly condition: Condition;
      /** False when it is never satisfied, only unsatisfied or not evaluable. */
      readonly canHold: boolean;
    };

/** Never satisfied, and fails for nothing but a list: no pattern of an empty list matches. */
const NEVER = { operator: "StringLike", field: "", values: [] } as const;

/** What is left of a condition: operator → field → values; Maps, since the names are the policy's. */
type Left = Map<string, Map<string, readonly string[]>>;

function keep(left: Left, operator: string, field: string, values: readonly string[]): void {
  const fields = left.get(operator) ?? new Map<string, readonly string[]>();
  left.set(operator, fields.set(field, values));
}

/** Decides a condition as far as what is known goes. Errors and what cannot be read win as they do in the engine. */
export function resolveCondition(condition: Condition, known: Known): Resolved {
  const left: Left = new Map();
  const results = new Set<Result>();
  for (const [operator, fields] of Object.entries(condition)) {
    if (operatorOf(operator) === undefined) results.add("error");
    else {
      for (const [field, values] of Object.entries(fields)) {
        const result = evaluatePart({ [operator]: { [field]: values } }, known);
        if (result === undefined) keep(left, operator, field, withKnown(operator, values, known));
        else results.add(result);
      }
    }
  }
  if (results.has("error")) return { is: "error" };
  if (results.has("unreadable")) return { is: "unreadable" };
  const canHold = !results.has("unsatisfied");
  if (left.size === 0) return { is: canHold ? "satisfied" : "unsatisfied" };
  if (!canHold) keep(left, NEVER.operator, NEVER.field, NEVER.values);
  const open = [...left].map(([operator, fields]) => [operator, Object.fromEntries(fields)] as const);
  return { is: "open", condition: Object.fromEntries(open), canHold };
}

/** The result of one part; undefined while a field that it reads is not given. */
function evaluatePart(part: Condition, { user, context }: Known): Result | undefined {
  const compiled = new CompiledCondition(part, "extended");
  for (const field of compiled.reads) if (!context.has(field)) return undefined;
  return compiled.evaluate(context, user);
}

/** The values with what is known of their variables filled in; in the data server's operators there are none. */
function withKnown(operator: string, values: readonly string[], known: Known): readonly string[] {
  return operatorOf(operator)?.plain === true ? values : values.map((value) => filled(value, known));
}

function filled(value: string, known: Known): string {
  const template = parseTemplate(value);
  if ("problem" in template || !template.parts.some((part) => "variable" in part)) return value;
  return template.parts.map((part) => written(part, known)).join("");
}

/** A part of a value as it is written, with its value in place of a variable that has one. */
function written(part: TemplatePart, { user, context }: Known): string {
  if ("text" in part) return part.literal ? literal(part.text) : part.text.replaceAll("$", "${$}");
  const value = part.variable === USER_VARIABLE ? user : context.get(part.variable);
  if (typeof value === "string") return literal(value);
  return part.fallback === undefined ? `\${${part.variable}}` : `\${${part.variable}, '${part.fallback}'}`;
}

/** Text that stands for itself, in patterns too. */
function literal(text: string): string {
  return text.replaceAll(/[*?$]/g, (character) => `\${${character}}`);
}
