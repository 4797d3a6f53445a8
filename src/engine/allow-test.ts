/**
 * Many resources asked about with one user, action and context: what does not depend on the resource is found once.
 * For lists, where a decision of its own for each would spend half of its time on that.
 */

import type { ConditionFields } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { onlyDeniesOwn } from "./decide.ts";
import { Findings, NO_STATEMENT } from "./matches.ts";
import { RequiredResource } from "./required-resource.ts";

/** Units of work of a test that hardly anything has to be tried for. */
const PER_TEST = 300;

/** What stays the same. */
export interface AllowQuestion {
  readonly user: string;
  readonly action: string;
  readonly context: ConditionFields;
}

/** Tells of each resource whether it is allowed. */
export interface AllowTest {
  (resource: string): boolean;
  /** Units of work of all tests so far. */
  work(): number;
}

/**
 * A test of resources: true exactly where {@link decide} says `allow`. It keeps the indexes of its action, so it holds
 * for as long as the policies do; build them before, where that takes long.
 */
export function allowTest(policies: CompiledPolicies, { user, action, context }: AllowQuestion): AllowTest {
  const wellFormed = action.toWellFormed();
  const fails = policies.firstFailure(context, user) !== undefined;
  const indexes = fails ? [] : policies.sets.flatMap((set) => set.indexOf(wellFormed).resources);
  const onlyDenies = onlyDeniesOwn(policies, user);
  const findings = new Findings();
  const required = new RequiredResource();
  let work = 0;
  const allows = (resource: string): boolean => {
    findings.begin(context, user, onlyDenies);
    required.set(resource.toWellFormed(), policies.arnPrefix);
    for (const index of indexes) index.lookup(required, user, findings);
    work += findings.work + PER_TEST;
    return findings.allowed && findings.deny === NO_STATEMENT;
  };
  return Object.assign(allows, { work: () => work });
}
