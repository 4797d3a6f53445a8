/** The parts of a condition: each is one field under one operator, ready for evaluation. */

import type { ConditionFields } from "../model/decision.ts";

/**
 * What a condition, or a part of it, says of a request. `error` ends the whole check with deny; `unreadable` concerns
 * its own statement only: an allow does not hold, a deny holds.
 */
export type ConditionResult = "satisfied" | "unsatisfied" | "error" | "unreadable";

/** One field under one operator. */
export interface ConditionPart {
  /** The fields that are read: that of the part and those of variables in its values. */
  readonly reads: readonly string[];
  /** True when a value holds `${user}`. */
  readonly readsUser: boolean;
  /** @param user the name that `${user}` stands for */
  evaluate(context: ConditionFields, user: string): ConditionResult;
}

/** The result of a part whose evaluation succeeded. */
export function resultOf(holds: boolean): ConditionResult {
  return holds ? "satisfied" : "unsatisfied";
}
