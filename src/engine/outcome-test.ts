/**
 * Many resources asked about with one user, action and context: what does not depend on the resource is found once,
 * and no outcome makes an object. For lists and batches, where a decision of its own for each would spend half of its
 * time on that.
 */

import type { ConditionFields, Outcome } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { onlyDeniesOwn } from "./decide.ts";
import { decideLeaf } from "./decide-tree.ts";
import { Looking } from "./look.ts";

/** What stays the same. */
export interface OutcomeQuestion {
  readonly user: string;
  readonly action: string;
  readonly context: ConditionFields;
}

/** Decides about one resource after the other. */
export interface OutcomeTest {
  /** What `decide` says of the resource. Equal outcomes are one object, most of the time. */
  (resource: string): Outcome;
  /** Units of work of all tests so far. */
  work(): number;
}

/** Units of work of a test that hardly anything has to be tried for. */
const PER_TEST = 300;

/**
 * A test of resources. It keeps the indexes of its action, so it holds for as long as the policies do; build them
 * before, where that takes long.
 */
export function outcomeTest(
  policies: CompiledPolicies,
  { user, action, context }: OutcomeQuestion,
): OutcomeTest {
  const looking = new Looking(policies, action, {
    user,
    context,
    userOnlyDenies: onlyDeniesOwn(policies, user),
  });
  let work = 0;
  const test = (resource: string): Outcome => {
    const found = looking.at(resource);
    work += found.work + PER_TEST;
    return decideLeaf(action, found);
  };
  return Object.assign(test, { work: () => work });
}
