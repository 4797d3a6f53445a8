/** Policies that are sent to a thread. */

import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";

/** Most characters of policies in one message: sending them to a thread takes a few milliseconds. */
const MOST_TEXT = 2 << 20;

/** The policy with only the fields that a comparison needs and that can be sent to a thread. */
export function plainPolicy({ name, statement }: NamedStatements): NamedStatements {
  return { name, statement };
}

/** True for policies with more text than one message may have. */
export function isLarge(policies: readonly NamedStatements[]): boolean {
  let left = MOST_TEXT;
  for (const { statement } of policies) {
    for (const { action, resource, condition } of statement) {
      left -= resource.length + action.reduce((sum, one) => sum + one.length, 0);
      if (condition !== undefined && condition !== null) left -= JSON.stringify(condition).length;
      if (left < 0) return true;
    }
  }
  return false;
}
