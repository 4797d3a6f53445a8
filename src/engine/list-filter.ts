/**
 * The data server's second evaluator, for lists of repositories and buckets (evaluation.md §10). It differs from the
 * first on purpose: no condition context, broken statements are skipped.
 */

import type { CompiledPolicies } from "./compile.ts";
import { matchesResource } from "./resource-pattern.ts";
import { matchingAction } from "./statement.ts";

/** The gate: some statement of effect exactly `allow` has the action; resource, condition and denies are ignored. */
export function hasActionOnAnyResource(policies: CompiledPolicies, action: string): boolean {
  return policies.indexOf(action.toWellFormed()).passesGate;
}

/** True when the resource shows in a list. Statements with conditions are skipped, allows and denies alike. */
export function isListed(
  policies: CompiledPolicies,
  user: string,
  action: string,
  resource: string,
): boolean {
  const partition = policies.options.partition;
  const required = resource.toWellFormed();
  let listed = false;
  for (const statement of policies.statements) {
    if (statement.condition !== undefined || statement.resources === undefined) continue;
    if (matchingAction(statement, action.toWellFormed()) === undefined) continue;
    if (!statement.resources.some((pattern) => matchesResource(pattern, required, user, partition))) continue;
    if (statement.deny) return false;
    listed = true;
  }
  return listed;
}
