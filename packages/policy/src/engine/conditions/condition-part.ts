/** The compiled parts of a condition: each is one field under one operator. */

import type { ConditionFields } from "../../model/decision.ts";
import type { Steps } from "../work.ts";

/**
 * The result of a condition or of a part. `error` ends the whole check with deny; `unreadable` concerns only its own
 * statement: an allow does not hold, a deny holds.
 */
export type ConditionResult = "satisfied" | "unsatisfied" | "error" | "unreadable";

/** One field under one operator. */
export interface ConditionPart {
  /** The fields that the part reads: its own, and those of variables in its values. */
  readonly reads: readonly string[];
  /** True when a value holds `${user}`. */
  readonly readsUser: boolean;
  /** True if a value cannot be parsed, which ends the whole check. */
  readonly hasBadValues?: boolean;
  /** @param user the name that `${user}` stands for */
  evaluate(context: ConditionFields, user: string): ConditionResult;
  /**
   * As `evaluate`, in steps; absent where an evaluation is short for every request. The steps cost nothing: the price
   * is known before.
   */
  readonly evaluateInSteps?: (context: ConditionFields, user: string) => Steps<ConditionResult>;
  /** The part of variables in the price; absent without variables. */
  readonly substituted?: Substituted;
}

/** Variables → words that each 32 characters of their texts make a value longer: 2 where it has a `?`. */
export type Substituted = ReadonlyMap<string, number>;

/** The result of a part whose evaluation succeeded. */
export function resultOf(holds: boolean): ConditionResult {
  return holds ? "satisfied" : "unsatisfied";
}

/** Values that are tried between two steps. */
const TRIED_AT_ONCE = 8;

/** True if a test holds for one of the values, which are tried in steps; a long test has steps of its own. */
export function* someInSteps<T>(
  values: readonly T[],
  test: (value: T) => boolean | Steps<boolean>,
): Steps<boolean> {
  for (const [index, value] of values.entries()) {
    const tested = test(value);
    if (typeof tested === "boolean" ? tested : yield* tested) return true;
    if (index % TRIED_AT_ONCE === TRIED_AT_ONCE - 1) yield 0;
  }
  return false;
}
