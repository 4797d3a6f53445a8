/**
 * Decides about many resources with one user, action and context. Work that does not depend on the resource is done
 * once, and an outcome allocates no object. For lists and batches, where separate decisions would spend half of their
 * time on this.
 */

import type { ConditionFields, Outcome } from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import type { Steps } from "../work.ts";
import { ConditionResults } from "./condition-results.ts";
import { onlyDeniesOwn } from "./decide.ts";
import { decideLeaf } from "./decide-tree.ts";
import type { DecidingPlace } from "./deciding-place.ts";
import { type LookedUp, type Lookup, LookupSeries, MOST_AT_ONCE } from "./lookup.ts";

/** The constant input. */
interface OutcomeQuestion {
  readonly user: string;
  readonly action: string;
  readonly context: ConditionFields;
}

/** Decides about one resource after the other. */
export interface OutcomeTest {
  /**
   * The outcome of `decide` for the resource; undefined where conditions are long, and `inSteps` has to be asked. Equal
   * outcomes are usually one object.
   */
  (resource: string): Outcome | undefined;
  /** The same in steps, which say what long conditions cost. Each is evaluated once for all resources. */
  inSteps(resource: string): Steps<Outcome>;
  /** Units of work of all tests so far. */
  work(): number;
  /** The place of the statement that decided about the last resource. Call it at once. */
  place(): DecidingPlace;
}

/** Units of work of a test that tries few patterns. */
const PER_TEST = 300;

/**
 * Creates a test. It keeps the indexes of its action and is valid as long as the policies are. If building the indexes
 * takes long, build them before.
 * @param lookup the caller's
 */
export function outcomeTest(
  policies: CompiledPolicies,
  { user, action, context }: OutcomeQuestion,
  lookup: Lookup,
): OutcomeTest {
  const results = new ConditionResults(user);
  const userOnlyDenies = onlyDeniesOwn(policies, user);
  const known = results.about(context);
  const looker = { user, context, userOnlyDenies, known, most: MOST_AT_ONCE };
  const series = new LookupSeries(policies, action, looker);
  let work = 0;
  let last: LookedUp | undefined;
  const test = (resource: string): Outcome | undefined => {
    const found = lookup.next(series, resource);
    last = found;
    work += found.work + PER_TEST;
    return found.deferred === undefined ? decideLeaf(action, found) : undefined;
  };
  const inSteps = function* (resource: string): Steps<Outcome> {
    for (;;) {
      const outcome = test(resource);
      if (outcome !== undefined) return outcome;
      for (const condition of last?.deferred ?? []) yield* results.of(condition, context);
    }
  };
  return Object.assign(test, { inSteps, work: () => work, place: () => lookup.place() });
}
