/** The indexes of many sets for many actions: held, built and released step by step, since there are as many as both multiplied. */

import { STEP_UNITS, type Steps } from "../work.ts";
import type { PolicySet } from "./policy-set.ts";

/** Units of work of a set and an action that are looked at. */
const PER_PAIR = 100;

/** Indexes of each set for each action. */
export interface WantedIndexes {
  readonly sets: readonly PolicySet[];
  readonly actions: ReadonlySet<string>;
}

/** Holds the indexes in each set, and then adds the set to those in which they are held. */
export function* holdInSteps({ sets, actions }: WantedIndexes, held: PolicySet[]): Steps<void> {
  let work = 0;
  for (const set of sets) {
    const indexes = yield* set.indexesInSteps();
    for (const action of actions) indexes.hold(action);
    held.push(set);
    work += PER_PAIR * actions.size;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
}

/** Ends what {@link holdInSteps} began. */
export function* releaseInSteps({ sets, actions }: WantedIndexes): Steps<void> {
  let work = 0;
  for (const { indexes } of sets) {
    for (const action of actions) indexes.release(action);
    work += PER_PAIR * actions.size;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
}

/** Builds the indexes that are missing. @param most price of the sets of which they are built; default any */
export function* buildMissingInSteps(
  { sets, actions }: WantedIndexes,
  most = Number.POSITIVE_INFINITY,
): Steps<void> {
  let work = 0;
  for (const set of sets) {
    if (set.price > most) continue;
    for (const action of actions) if (!set.hasIndexOf(action)) yield* set.indexes.build(action);
    work += PER_PAIR * actions.size;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
}
