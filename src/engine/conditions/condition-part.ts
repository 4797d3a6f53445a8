/** The compiled parts of a condition: each is one field under one operator. */

import type { ConditionFields } from "../../model/decision.ts";

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
}

/** The result of a part whose evaluation succeeded. */
export function resultOf(holds: boolean): ConditionResult {
  return holds ? "satisfied" : "unsatisfied";
}
