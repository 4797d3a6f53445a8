/**
 * The data server's four operators (spec/evaluation §7): a missing field never holds, variables are ordinary text, and
 * an unreadable address is an error that denies everything. A list counts as unreadable.
 */

import type { ConditionFields } from "../../model/decision.ts";
import { type IpAddress, type IpRange, parseIp, parseIpRange, rangeContains } from "../../model/ip.ts";
import { compileWildcard, matching, type Wildcard } from "../patterns/wildcard.ts";
import { mapTexts, type Steps } from "../work.ts";
import { type ConditionPart, type ConditionResult, resultOf, someInSteps } from "./condition-part.ts";

function partOf(field: string, test: (value: string) => ConditionResult): ConditionPart {
  return {
    reads: [field],
    readsUser: false,
    evaluate: (context: ConditionFields) => {
      const value = context.get(field);
      if (value === undefined) return "unsatisfied";
      return typeof value === "string" ? test(value) : "unreadable";
    },
  };
}

/** A field under IpAddress or NotIpAddress, compiled in steps. */
export function* plainIpPart(
  field: string,
  values: readonly string[],
  negated: boolean,
): Steps<ConditionPart> {
  const ranges: (IpRange | undefined)[] = yield* mapTexts(values, parseIpRange);
  const evaluate = (address: IpAddress): ConditionResult => {
    for (const range of ranges) {
      if (range === undefined) return "error";
      if (rangeContains(range, address)) return resultOf(!negated);
    }
    return resultOf(negated);
  };
  const part = partOf(field, (value) => {
    if (value === "") return "unsatisfied";
    const address = parseIp(value);
    return address === undefined ? "error" : evaluate(address);
  });
  return { ...part, hasBadValues: ranges.includes(undefined) };
}

/** A field under StringLike or StringNotLike, compiled in steps. */
export function* plainPatternPart(
  field: string,
  values: readonly string[],
  negated: boolean,
): Steps<ConditionPart> {
  const patterns: Wildcard[] = yield* mapTexts(values, compileWildcard);
  const part = partOf(field, (value) => {
    const text = value.toWellFormed();
    return resultOf(patterns.some((pattern) => pattern.match(text)) !== negated);
  });
  return {
    ...part,
    *evaluateInSteps(context, user) {
      const value = context.get(field);
      if (typeof value !== "string") return part.evaluate(context, user);
      const text = value.toWellFormed();
      return resultOf((yield* someInSteps(patterns, (pattern) => matching(pattern, text))) !== negated);
    },
  };
}
