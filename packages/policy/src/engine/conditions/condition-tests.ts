/**
 * Explains conditions: what the statement wanted and what the request gave, for each operator (spec/decision-api §5).
 * Values are cut and counted, so that an explanation stays small for every policy and request.
 */

import { operatorOf } from "../../model/condition-operators.ts";
import { parseTemplate, USER_VARIABLE } from "../../model/condition-variables.ts";
import {
  type ConditionFields,
  type ConditionTest,
  type FieldValue,
  UNREADABLE,
  type VariableValue,
} from "../../model/decision.ts";
import { asksMissing } from "../../model/truth-values.ts";
import type { EngineRequest } from "../decide/decide.ts";
import { priceOf } from "../matching/matches.ts";
import type { Steps } from "../work.ts";
import type { CompiledCondition, TestResult } from "./conditions.ts";

/** Tests that one explanation shows, over all its statements. */
export const MOST_TESTS = 100;
/** Values shown of one list, of the policy or of the request. */
const MOST_VALUES = 20;
/** UTF-16 units shown of one value. */
const MOST_UNITS = 256;

/** The text that an explanation shows for a value of the request; the value itself to show it. */
export type ValueMask = (field: string, value: string) => string;

/** A mask that hides nothing. */
export const SHOW_ALL: ValueMask = (_, value) => value;

/** Gathers the tests of conditions for one explanation. */
export class ConditionTests {
  readonly #mask: ValueMask;
  #left = MOST_TESTS;

  /** @param mask replaces values of the request */
  constructor(mask: ValueMask) {
    this.#mask = mask;
  }

  /**
   * The tests of a condition with their results, in steps; fewer or none if the explanation has reached its limit. The
   * condition is evaluated anew, for its price.
   */
  *of(
    condition: CompiledCondition | undefined,
    { context, user }: EngineRequest,
  ): Steps<readonly ConditionTest[]> {
    if (condition === undefined || this.#left === 0) return [];
    yield priceOf(condition, context, user);
    const results = yield* condition.resultsInSteps(context, user, this.#left);
    this.#left -= results.length;
    return results.map((result) => this.#test(result, context, user));
  }

  #test(
    { operator, field, values, result }: TestResult,
    context: ConditionFields,
    user: string,
  ): ConditionTest {
    const value = context.get(field);
    const variables = this.#variables(operator, values, context, user);
    return {
      operator,
      field,
      wanted: values.slice(0, MOST_VALUES).map(cut),
      ...(values.length > MOST_VALUES ? { wanted_total: values.length } : {}),
      ...this.#given(field, value),
      ...(variables.length === 0 ? {} : { variables }),
      result,
    };
  }

  #given(field: string, value: FieldValue | undefined): Pick<ConditionTest, "given" | "given_total"> {
    if (value === undefined || value === UNREADABLE) return {};
    const shown = (one: string): string => cut(this.#mask(field, one));
    if (typeof value === "string") return { given: shown(value) };
    const given = value.slice(0, MOST_VALUES).map(shown);
    return value.length > MOST_VALUES ? { given, given_total: value.length } : { given };
  }

  /** The values of the variables in the values of an operator. */
  #variables(
    name: string,
    values: readonly string[],
    context: ConditionFields,
    user: string,
  ): readonly VariableValue[] {
    const operator = operatorOf(name);
    const reads = operator !== undefined && !operator.plain && TEXT_KINDS.has(operator.kind);
    const found = new Map<string, VariableValue>();
    for (const value of reads ? values.slice(0, MOST_VALUES) : []) {
      const template = parseTemplate(value);
      for (const part of "parts" in template ? template.parts : []) {
        if (!("variable" in part) || found.size >= MOST_VALUES) continue;
        const { variable, fallback } = part;
        const given = variable === USER_VARIABLE ? user : (context.get(variable) ?? fallback);
        const shown = typeof given === "string" ? { given: cut(this.#mask(variable, given)) } : {};
        found.set(variable, { variable, ...shown });
      }
    }
    return [...found.values()];
  }
}

const TEXT_KINDS: ReadonlySet<string> = new Set(["text", "folded", "pattern", "arn"]);

/** The beginning of a long text. */
function cut(text: string): string {
  if (text.length <= MOST_UNITS) return text;
  return `${text.slice(0, MOST_UNITS).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * The tests that do not hold, as a sentence: `IpAddress on SourceIp wants "10.0.0.0/8", the request has "192.0.2.1"`.
 */
export function unmetText(tests: readonly ConditionTest[]): string {
  return tests
    .filter(({ result }) => result !== "satisfied")
    .map(testText)
    .join("; ");
}

function testText(test: ConditionTest): string {
  const { operator, field, wanted, wanted_total: total = wanted.length, variables = [], result } = test;
  if (field === "") return `the operator ${operator} is unknown`;
  const more = total > wanted.length ? ` or ${total - wanted.length} more` : "";
  const none = operatorOf(operator)?.negated && wanted.length > 0 ? "none of " : "";
  const wants = wanted.length === 0 ? "no value" : `${none}${wanted.map(quoted).join(" or ")}${more}`;
  const stands = variables.map(({ variable, given }) =>
    given === undefined ? `${variable} has no value` : `${variable} is ${quoted(given)}`,
  );
  const filled = stands.length === 0 ? "" : ` (${stands.join(", ")})`;
  const failed = result === "unsatisfied" ? "" : ", which cannot be compared";
  return `${operator} on ${field} wants ${wants}${filled}, the request has ${givenText(test)}${failed}`;
}

function givenText({ operator, wanted, given, given_total: total = 0, result }: ConditionTest): string {
  if (given === undefined) {
    const isThere = operator === "Null" && asksMissing(wanted);
    return result === "unsatisfied" && !isThere ? "none" : "a value that is no text";
  }
  if (typeof given === "string") return quoted(given);
  if (given.length === 0) return "an empty list";
  return `${given.map(quoted).join(" and ")}${total > given.length ? ` and ${total - given.length} more` : ""}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
