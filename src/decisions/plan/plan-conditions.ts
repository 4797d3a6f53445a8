/**
 * Partial evaluation of conditions: parts whose fields are all known are evaluated, known variables are filled in, and
 * the rest reads only unknown fields (spec/decision-api §3.3).
 */

import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import { priceOf } from "@svc-authorizer/policy/engine/matching/matches.ts";
import type { Steps } from "@svc-authorizer/policy/engine/work.ts";
import { operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import {
  parseTemplate,
  type TemplatePart,
  USER_VARIABLE,
} from "@svc-authorizer/policy/model/condition-variables.ts";
import type { ConditionFields } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";

/** The known values: the given fields, and the name for `${user}`. */
export interface Known {
  readonly user: string;
  readonly context: ConditionFields;
}

type Result = ReturnType<CompiledCondition["evaluate"]>;

/**
 * The result of a partial evaluation: decided for every value of the unknown fields, or open with the remaining
 * condition.
 */
export type Resolved =
  | { readonly is: Result }
  | {
      readonly is: "open";
      readonly condition: Condition;
      /** False if it can never be satisfied, only unsatisfied or not evaluable. */
      readonly canHold: boolean;
    };

/** Never satisfied, and only a list makes it fail: no pattern of an empty list matches. */
const NEVER = { operator: "StringLike", field: "", values: [] } as const;

/** The remaining condition: operator → field → values. Maps, because the names come from policies. */
type Left = Map<string, Map<string, readonly string[]>>;

function keep(left: Left, operator: string, field: string, values: readonly string[]): void {
  const fields = left.get(operator) ?? new Map<string, readonly string[]>();
  left.set(operator, fields.set(field, values));
}

/** Units of work of compiling and evaluating a part besides its price. */
const PER_PART = 10_000;

/** Units of work of a character of a value with its variables filled in: it is written into the answer. */
const PER_CHARACTER = 50;

/** Evaluates a condition as far as possible, in steps. Errors and unreadable values win, as in the engine. */
export function* resolveCondition(condition: Condition, known: Known): Steps<Resolved> {
  const left: Left = new Map();
  const results = new Set<Result>();
  for (const [operator, fields] of Object.entries(condition)) {
    if (operatorOf(operator) === undefined) results.add("error");
    else {
      for (const [field, values] of Object.entries(fields)) {
        const result = yield* evaluatePart({ [operator]: { [field]: values } }, known);
        if (result === undefined) keep(left, operator, field, yield* withKnown(operator, values, known));
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

/** The result of one part; undefined if it reads an unknown field. */
function* evaluatePart(part: Condition, { user, context }: Known): Steps<Result | undefined> {
  const compiled = yield* CompiledCondition.inSteps(part, "extended");
  yield PER_PART;
  for (const field of compiled.reads) if (!context.has(field)) return undefined;
  yield priceOf(compiled, context, user);
  return yield* compiled.evaluateInSteps(context, user);
}

/** The values with their known variables filled in. The data server's operators have no variables. */
function* withKnown(operator: string, values: readonly string[], known: Known): Steps<readonly string[]> {
  if (operatorOf(operator)?.plain === true) return values;
  const written: string[] = [];
  for (const value of values) written.push(yield* filled(value, known));
  return written;
}

function* filled(value: string, known: Known): Steps<string> {
  const template = parseTemplate(value);
  if ("problem" in template || !template.parts.some((part) => "variable" in part)) return value;
  const parts: string[] = [];
  for (const part of template.parts) {
    const text = written(part, known);
    yield PER_CHARACTER * text.length;
    parts.push(text);
  }
  return parts.join("");
}

/** A part of a value as written, with the value in place of a known variable. */
function written(part: TemplatePart, { user, context }: Known): string {
  if ("text" in part) return part.literal ? literal(part.text) : part.text.replaceAll("$", "${$}");
  const value = part.variable === USER_VARIABLE ? user : context.get(part.variable);
  if (typeof value === "string") return literal(value);
  return part.fallback === undefined ? `\${${part.variable}}` : `\${${part.variable}, '${part.fallback}'}`;
}

/** Escapes a text so that it is literal, also in patterns. */
function literal(text: string): string {
  return text.replaceAll(/[*?$]/g, (character) => `\${${character}}`);
}
