/**
 * Conditions, compiled (evaluation.md §7). Where a false part and an erroneous part meet, the error wins: it fails
 * closed. An error of a condition denies every request of its user, so what can be erroneous is told apart here and
 * looked at even when action and resource do not match.
 */

import { operatorValues } from "../model/condition.ts";
import type { DecisionContext } from "../model/decision.ts";
import { type IpBytes, type IpRange, parseIp, parseIpRange, rangeContains } from "../model/ip.ts";
import type { Condition } from "../model/policy.ts";
import { compileWildcard, type Wildcard } from "./wildcard.ts";

/**
 * What a condition says of a context. `error` ends the whole check with deny; `unreadable` concerns its own
 * statement only: an allow does not hold, a deny holds (a list of values under an operator for single values).
 */
export type ConditionResult = "satisfied" | "unsatisfied" | "error" | "unreadable";

interface FieldTest {
  readonly field: string;
  test(value: string): ConditionResult;
}

function ipTest(field: string, values: readonly string[], negated: boolean): FieldTest {
  const ranges: (IpRange | undefined)[] = values.map(parseIpRange);
  const evaluate = (address: IpBytes): ConditionResult => {
    for (const range of ranges) {
      if (range === undefined) return "error";
      if (rangeContains(range, address)) return negated ? "unsatisfied" : "satisfied";
    }
    return negated ? "satisfied" : "unsatisfied";
  };
  return {
    field,
    test: (value) => {
      if (value === "") return "unsatisfied";
      const address = parseIp(value);
      return address === undefined ? "error" : evaluate(address);
    },
  };
}

function patternTest(field: string, values: readonly string[], negated: boolean): FieldTest {
  const patterns: Wildcard[] = values.map(compileWildcard);
  return {
    field,
    test: (value) => {
      const text = value.toWellFormed();
      return patterns.some((pattern) => pattern.match(text)) !== negated ? "satisfied" : "unsatisfied";
    },
  };
}

/** A compiled condition. */
export class CompiledCondition {
  /** True when an operator is unknown: every evaluation is an error, even of an operator without fields. */
  readonly alwaysFails: boolean;
  /** Fields that must hold an IP address when they are present and non-empty, else the evaluation is an error. */
  readonly addressFields: readonly string[];
  /** True when a value cannot be parsed, so that errors depend on more than the address fields. */
  readonly hasBadValues: boolean;
  /** True when a field is an attribute of the resource. */
  readonly readsResource: boolean;
  readonly #tests: readonly FieldTest[];

  constructor(condition: Condition) {
    const tests: FieldTest[] = [];
    const addressFields: string[] = [];
    let alwaysFails = false;
    let hasBadValues = false;
    for (const [operator, fields] of Object.entries(condition)) {
      const kind = operatorValues(operator);
      if (kind === undefined) alwaysFails = true;
      const negated = operator.startsWith("Not") || operator === "StringNotLike";
      for (const [field, values] of Object.entries(fields)) {
        if (kind === "pattern") tests.push(patternTest(field, values, negated));
        if (kind !== "ip") continue;
        tests.push(ipTest(field, values, negated));
        addressFields.push(field);
        hasBadValues ||= values.some((value) => parseIpRange(value) === undefined);
      }
    }
    this.#tests = tests;
    this.alwaysFails = alwaysFails;
    this.addressFields = addressFields;
    this.hasBadValues = hasBadValues;
    this.readsResource = tests.some(({ field }) => field.startsWith("resource."));
  }

  /** Evaluates against the condition fields of a request. A missing field is not satisfied. */
  evaluate(context: DecisionContext): ConditionResult {
    if (this.alwaysFails) return "error";
    let result: ConditionResult = "satisfied";
    for (const { field, test } of this.#tests) {
      const value = context.get(field);
      const part =
        value === undefined ? "unsatisfied" : typeof value === "string" ? test(value) : "unreadable";
      if (part === "error") return "error";
      if (part === "unreadable" || (part === "unsatisfied" && result === "satisfied")) result = part;
    }
    return result;
  }
}

/** True when the condition has at least one operator; an empty object or null is no condition. */
export function hasOperators(condition: Condition | null | undefined): condition is Condition {
  return condition !== null && condition !== undefined && Object.keys(condition).length > 0;
}
