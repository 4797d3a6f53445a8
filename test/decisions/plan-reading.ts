/** Evaluates a plan as a caller does, by the words of its contract. */

import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import type { ConditionFields } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { wildcardMatch } from "../../packages/policy/test/engine/oracle.ts";
import type { Plan } from "../../src/decisions/searches.ts";

/** Matching as the contract of a plan says it. */
function matches(pattern: string, resource: string): boolean {
  if (pattern === "*") return true;
  const [left, right] = [pattern, resource].map((text) => {
    const parts = text.split(":");
    return [...parts.slice(0, 5), parts.slice(5).join(":")];
  }) as [string[], string[]];
  if (right.length < 6 || right[0] !== "arn" || right[1] !== "svc" || !right[2] || !right[5]) return false;
  return left[2] === right[2] && left[4] === right[4] && wildcardMatch(left[5] ?? "", right[5]);
}

/** Whether a plan allows a resource: what a caller makes of it. */
export function allows(plan: Plan, resource: string, fields: ConditionFields, name: string): boolean {
  const say = (condition: Condition): string =>
    new CompiledCondition(condition, "extended").evaluate(fields, name);
  const about = plan.conditional.filter((one) => matches(one.resource, resource));
  const denied =
    plan.deny.some((pattern) => matches(pattern, resource)) ||
    about.some(({ effect, condition }) => effect === "deny" && say(condition) !== "unsatisfied");
  const allowed =
    plan.allow.some((pattern) => matches(pattern, resource)) ||
    about.some(({ effect, condition }) => effect === "allow" && say(condition) === "satisfied");
  return allowed && !denied;
}
