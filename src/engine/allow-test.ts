/**
 * Many resources asked about with one user, action and context: what does not depend on the resource is found once.
 * For lists, where a decision of its own for each would spend half of its time on that.
 */

import type { ConditionFields } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { onlyDeniesOwn } from "./decide.ts";
import { Findings, NO_STATEMENT } from "./matches.ts";

/** What stays the same. */
export interface AllowQuestion {
  readonly user: string;
  readonly action: string;
  readonly context: ConditionFields;
}

/**
 * A test of resources: true exactly where {@link decide} says `allow`. It holds for as long as the policies do; index
 * the action before, if need be.
 */
export function allowTest(
  policies: CompiledPolicies,
  { user, action, context }: AllowQuestion,
): (resource: string) => boolean {
  if (policies.firstFailure(context, user) !== NO_STATEMENT) return () => false;
  const { resources } = policies.indexOf(action.toWellFormed());
  const onlyDenies = onlyDeniesOwn(policies, user);
  const findings = new Findings();
  return (resource) => {
    findings.reset(context, user, onlyDenies);
    resources.lookup(resource.toWellFormed(), user, findings);
    return findings.allowed && findings.deny === NO_STATEMENT;
  };
}
