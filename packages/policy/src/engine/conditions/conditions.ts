/**
 * Compiled conditions (spec/evaluation §7; spec/decision-api §4). If one part is false and another is an error, the error
 * wins and the check fails closed. An error of one of the data server's operators denies every request of its user. So
 * conditions that can fail are known beforehand, and are evaluated even if action and resource do not match.
 */

import { type Operator, operatorOf } from "../../model/condition-operators.ts";
import type { ConditionFields } from "../../model/decision.ts";
import type { Condition } from "../../model/policy.ts";
import { finish, type Steps } from "../work.ts";
import { extendedPart } from "./condition-extended.ts";
import type { ConditionPart, ConditionResult } from "./condition-part.ts";
import { plainIpPart, plainPatternPart } from "./condition-plain.ts";

/**
 * The evaluator. `extended` is ours. `data_server` behaves as the data server's, which knows four operators, also where
 * ours is stricter (a user name with `*` or `?`).
 */
export type Evaluator = "extended" | "data_server";

function partOf(operator: Operator, field: string, values: readonly string[]): Steps<ConditionPart> {
  if (!operator.plain) return extendedPart(operator, field, values);
  const plainPart = operator.kind === "ip" ? plainIpPart : plainPatternPart;
  return plainPart(field, values, operator.negated);
}

/** The parts, in the order of the condition. */
function* partsOf(condition: Condition, evaluator: Evaluator): Steps<readonly ConditionPart[]> {
  const parts: ConditionPart[] = [];
  for (const [name, fields] of Object.entries(condition)) {
    const operator = knownOperator(name, evaluator);
    if (operator === undefined) continue;
    for (const [field, values] of Object.entries(fields)) {
      parts.push(yield* partOf(operator, field, values));
    }
  }
  return parts;
}

/** The result of one field under one operator. */
export interface TestResult {
  readonly operator: string;
  /** "" for an unknown operator without fields. */
  readonly field: string;
  readonly values: readonly string[];
  readonly result: ConditionResult;
}

/** A compiled condition. */
export class CompiledCondition {
  /** True when an operator is unknown: every evaluation is an error, even of an operator without fields. */
  readonly alwaysFails: boolean;
  /** Fields that must hold an IP address when they are present and non-empty, else the evaluation is an error. */
  readonly addressFields: readonly string[];
  /** True when a value cannot be parsed, so that errors depend on more than the address fields. */
  readonly hasBadValues: boolean;
  /** All fields that are read, also by variables. */
  readonly reads: ReadonlySet<string>;
  /** The fields that are compared with values. */
  readonly compared: ReadonlySet<string>;
  /** True if a value contains `${user}` and the operator reads it. */
  readonly readsUser: boolean;
  /** True when one of the fields is an attribute of the resource. */
  readonly readsResource: boolean;
  /** True when there are requests for which an evaluation is so long that it has to be done in steps. */
  readonly canBeLong: boolean;
  /** Words that each variable in its values adds, for each 32 characters of its text. */
  readonly substituted: readonly (readonly [variable: string, words: number])[];
  /** Words of 32 characters in its values, of 4 where they have a `?`: what an evaluation costs for each character of the request's values. */
  readonly words: number;
  readonly #parts: readonly ConditionPart[];
  readonly #written: Condition;
  readonly #evaluator: Evaluator;

  /** @param parts those of the condition, where they are compiled already */
  constructor(
    condition: Condition,
    evaluator: Evaluator,
    parts: readonly ConditionPart[] = finish(partsOf(condition, evaluator)),
  ) {
    const named = Object.entries(condition).map(
      ([name, fields]) => [knownOperator(name, evaluator), Object.keys(fields)] as const,
    );
    this.words = wordsIn(condition);
    this.#parts = parts;
    this.#written = condition;
    this.#evaluator = evaluator;
    this.alwaysFails = named.some(([operator]) => operator === undefined);
    this.addressFields = named.flatMap(([operator, fields]) =>
      operator?.plain === true && operator.kind === "ip" ? fields : [],
    );
    this.canBeLong = parts.some(({ evaluateInSteps }) => evaluateInSteps !== undefined);
    this.substituted = parts.flatMap(({ substituted }) => [...(substituted ?? [])]);
    this.hasBadValues = parts.some((part) => part.hasBadValues === true);
    this.reads = new Set(parts.flatMap(({ reads }) => reads));
    this.compared = new Set(named.flatMap(([, fields]) => fields));
    this.readsUser = parts.some(({ readsUser }) => readsUser);
    this.readsResource = [...this.reads].some((field) => field.startsWith("resource."));
  }

  /** Compiles a condition in steps. */
  static *inSteps(condition: Condition, evaluator: Evaluator): Steps<CompiledCondition> {
    return new CompiledCondition(condition, evaluator, yield* partsOf(condition, evaluator));
  }

  /**
   * Evaluates against the condition fields of a request. `error` wins over `unreadable`, and that over `unsatisfied`.
   * @param user the name that `${user}` stands for
   */
  evaluate(context: ConditionFields, user: string): ConditionResult {
    if (this.alwaysFails) return "error";
    let result: ConditionResult = "satisfied";
    for (const part of this.#parts) {
      const found = part.evaluate(context, user);
      if (found === "error") return "error";
      if (found === "unreadable" || (found === "unsatisfied" && result === "satisfied")) result = found;
    }
    return result;
  }

  /** As {@link evaluate}, in steps. They cost nothing: whoever runs them spends the price before. */
  *evaluateInSteps(context: ConditionFields, user: string): Steps<ConditionResult> {
    if (this.alwaysFails) return "error";
    let result: ConditionResult = "satisfied";
    for (const part of this.#parts) {
      const found = yield* evaluated(part, context, user);
      if (found === "error") return "error";
      if (found === "unreadable" || (found === "unsatisfied" && result === "satisfied")) result = found;
    }
    return result;
  }

  /**
   * The results of the first parts, in the order of the condition; for explanations. The steps cost nothing.
   * @param most results at most
   */
  *resultsInSteps(context: ConditionFields, user: string, most: number): Steps<readonly TestResult[]> {
    const found: TestResult[] = [];
    let next = 0;
    for (const [operator, fields] of Object.entries(this.#written)) {
      const known = knownOperator(operator, this.#evaluator) !== undefined;
      const tests = Object.entries(fields);
      if (!known && tests.length === 0) found.push({ operator, field: "", values: [], result: "error" });
      for (const [field, values] of tests) {
        if (found.length >= most) return found;
        const part = known ? this.#parts[next++] : undefined;
        const result = part === undefined ? "error" : yield* evaluated(part, context, user);
        found.push({ operator, field, values, result });
      }
    }
    return found;
  }
}

function* evaluated(part: ConditionPart, context: ConditionFields, user: string): Steps<ConditionResult> {
  return part.evaluateInSteps === undefined
    ? part.evaluate(context, user)
    : yield* part.evaluateInSteps(context, user);
}

/** The operator of that name, if the evaluator knows it. */
function knownOperator(name: string, evaluator: Evaluator): Operator | undefined {
  const operator = operatorOf(name);
  return evaluator === "data_server" && operator?.plain === false ? undefined : operator;
}

function wordsIn(condition: Condition): number {
  let words = 0;
  for (const fields of Object.values(condition)) {
    for (const values of Object.values(fields))
      for (const value of values) words += 1 + (value.length >> (value.includes("?") ? 2 : 5));
  }
  return words;
}

/** True when the condition has at least one operator; an empty object or null is no condition. */
export function hasOperators(condition: Condition | null | undefined): condition is Condition {
  return condition !== null && condition !== undefined && Object.keys(condition).length > 0;
}
