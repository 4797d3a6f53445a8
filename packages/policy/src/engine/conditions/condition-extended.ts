/**
 * The operators of the AWS IAM policy language (spec/decision-api §4; spec/security §3.2). An evaluation error concerns
 * only its own statement.
 */

import type { Operator } from "../../model/condition-operators.ts";
import { USER_VARIABLE } from "../../model/condition-variables.ts";
import { type ConditionFields, type FieldValue, UNREADABLE } from "../../model/decision.ts";
import type { Steps } from "../work.ts";
import { compileMatcher, type Match } from "./condition-matchers.ts";
import { type ConditionPart, type ConditionResult, resultOf } from "./condition-part.ts";

/** An empty list counts as a missing field. */
function isMissing(value: FieldValue | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** `Null`: `true` holds for a missing field, `false` for a field with any value. */
function* presencePart(operator: Operator, field: string, values: readonly string[]): Steps<ConditionPart> {
  const match = (yield* compileMatcher(operator, values)).bind(new Map(), "");
  return {
    reads: [field],
    readsUser: false,
    evaluate: (context) => {
      const holds = match?.(String(isMissing(context.get(field))));
      return holds === undefined ? "unreadable" : resultOf(holds);
    },
  };
}

/** The result for a missing field, if the values are valid. */
function ofMissing({ over, negated, ifExists }: Operator): ConditionResult {
  if (over === "any") return "unsatisfied";
  return resultOf(over === "all" || negated || ifExists);
}

/** Looks at every value, so that an unreadable one is found at any position. */
function ofValues({ over, negated }: Operator, values: readonly string[], match: Match): ConditionResult {
  let holding = 0;
  for (const value of values) {
    const matches = match(value);
    if (matches === undefined) return "unreadable";
    if (matches !== negated) holding++;
  }
  return resultOf(over === "any" ? holding > 0 : holding === values.length);
}

function ofValue(operator: Operator, value: FieldValue, match: Match): ConditionResult {
  if (value === UNREADABLE) return "unreadable";
  if (typeof value === "string") return ofValues(operator, [value], match);
  return operator.over === "one" ? "unreadable" : ofValues(operator, value, match);
}

/** A field under an extended operator, compiled in steps. */
export function* extendedPart(
  operator: Operator,
  field: string,
  values: readonly string[],
): Steps<ConditionPart> {
  if (operator.kind === "presence") return yield* presencePart(operator, field, values);
  const matcher = yield* compileMatcher(operator, values);
  const { bindInSteps } = matcher;
  return {
    reads: [field, ...[...matcher.variables].filter((name) => name !== USER_VARIABLE)],
    readsUser: matcher.variables.has(USER_VARIABLE),
    ...(matcher.substituted && { substituted: matcher.substituted }),
    evaluate: (context: ConditionFields, user: string) => {
      const value = context.get(field);
      // As IAM documents, `IfExists` keeps a variable without a value from making the statement unreadable.
      if (value === undefined && operator.ifExists) return ofMissing(operator);
      const match = matcher.bind(context, user);
      if (match === undefined) return "unreadable";
      if (value === undefined) return ofMissing(operator);
      return ofValue(operator, value, match);
    },
    ...(bindInSteps && {
      *evaluateInSteps(context: ConditionFields, user: string): Steps<ConditionResult> {
        const value = context.get(field);
        if (value === undefined && operator.ifExists) return ofMissing(operator);
        const match = yield* bindInSteps(context, user);
        if (match === undefined) return "unreadable";
        if (value === undefined) return ofMissing(operator);
        if (value === UNREADABLE) return "unreadable";
        const results = new Map<string, boolean | undefined>();
        for (const text of typeof value === "string" ? [value] : value) {
          if (!results.has(text)) results.set(text, yield* match(text));
        }
        return ofValue(operator, value, (text) => results.get(text));
      },
    }),
  };
}
