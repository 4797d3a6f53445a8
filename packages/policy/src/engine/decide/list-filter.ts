/**
 * The data server's second evaluator, for lists of repositories and buckets (spec/evaluation §10). It differs from the
 * first on purpose: it has no condition context, and skips broken statements.
 */

import type { CompiledPolicies } from "../compile/compile.ts";
import { ResourceMatchers } from "../matching/resource-matchers.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";

/** The gate: some statement of effect exactly `allow` has the action; resource, condition and denies are ignored. */
export function hasActionOnAnyResource(policies: CompiledPolicies, action: string): boolean {
  return policies.passesGate(action.toWellFormed());
}

/**
 * True if a list shows the resource. Skips statements with conditions, allows and denies alike. Works step by step,
 * because it visits every statement with the action.
 */
export function* isListedInSteps(
  policies: CompiledPolicies,
  user: string,
  action: string,
  resource: string,
): Steps<boolean> {
  if (policies.hasUnknownMember) return false;
  const matchers = new ResourceMatchers(user, policies.options.partition);
  let listed = false;
  let work = 0;
  for (const statement of yield* policies.statementsMatchingInSteps(action.toWellFormed())) {
    if (statement.condition !== undefined) continue;
    for (const pattern of statement.resources ?? []) {
      work += PER_ITEM + pattern.length + resource.length;
      if (work > STEP_UNITS) {
        yield work;
        work = 0;
      }
      if ((listed && !statement.deny) || !matchers.matches(pattern, resource)) continue;
      if (statement.deny) return false;
      listed = true;
    }
  }
  yield work;
  return listed;
}
