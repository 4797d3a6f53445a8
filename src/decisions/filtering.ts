/** `/filter`: which of many resources a user may act on, each exactly as a single check would say (decision-api.md §3). */

import { allowTest } from "../engine/allow-test.ts";
import type { CompiledPolicies } from "../engine/compile.ts";
import { decide } from "../engine/decide.ts";
import type { DecisionCounters, FilterRequest } from "./decisions.ts";

/** Items decided between two steps: well under a millisecond. */
const STEP = 256;

/** Decides about each resource; gives the indexes of the allowed ones, ascending. */
export function* filterResources(
  policies: CompiledPolicies,
  request: FilterRequest,
  counters: DecisionCounters,
): Generator<void, readonly number[]> {
  const { user, action, resources, context } = request;
  const counts = counters.decisions.filter;
  const allowed: number[] = [];
  const allows = allowTest(policies, { user, action, context });
  for (let index = 0; index < resources.length; index++) {
    const resource = resources[index] as string;
    if (allows(resource)) {
      counts.allow++;
      allowed.push(index);
    } else counts[decide(policies, { user, required: { action, resource }, context }).effect]++;
    if ((index + 1) % STEP === 0) yield;
  }
  return allowed;
}
