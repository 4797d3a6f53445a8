/**
 * Builds indexes of policy sets by action: in slices, a few at a time, each once for all waiting requests. An index
 * stays until the waiting request has been decided.
 */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import {
  buildMissingInSteps,
  holdInSteps,
  releaseInSteps,
  type WantedIndexes,
} from "@svc-authorizer/policy/engine/compile/held-indexes.ts";
import type { PolicySet } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import type { SetFilters } from "@svc-authorizer/policy/engine/compile/set-filters.ts";
import { actionsOf } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { RequiredResource } from "@svc-authorizer/policy/engine/matching/required-resource.ts";
import { FoundSets, type SetFilter } from "@svc-authorizer/policy/engine/matching/set-filter.ts";
import { finish, type Steps } from "@svc-authorizer/policy/engine/work.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Scheduler, WorkBudget } from "../schedule/scheduler.ts";
import { WorkQueue } from "../schedule/work-queue.ts";

/** Indexes with at most this many units of work in total are built inside the decision: about a millisecond. */
const QUICK = 1_000_000;
/** Number of concurrent builds. */
const MOST_BUILDS = 2;

/** Pairs of a set and an action that are looked at in one go. */
const FEW = 1_000;

/** A missing index. */
interface Missing {
  readonly set: PolicySet;
  readonly action: string;
}

/** Builds indexes. */
export class IndexBuilds {
  readonly #scheduler: Scheduler;
  readonly #queue = new WorkQueue(MOST_BUILDS);
  /** Builds with waiting requests, and their units of work. */
  readonly #running = new WeakMap<PolicySet, Map<string, Promise<number>>>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * A promise to await before a decision about these permissions; undefined if the indexes exist or are quick to build.
   * The decision must be made in the turn of the event loop in which the promise resolves.
   * @param budget the budget of the builds; the promise rejects with its refusal
   */
  ready(
    policies: CompiledPolicies,
    required: RequiredPermissions,
    budget?: WorkBudget,
  ): Promise<void> | undefined {
    return isQuick(policies, required) ? undefined : this.#build(policies, required, budget);
  }

  async #build(
    policies: CompiledPolicies,
    required: RequiredPermissions,
    budget: WorkBudget | undefined,
  ): Promise<void> {
    const actions = actionsOf(required);
    const { filters } = policies;
    await this.#filters(filters, actions, budget);
    const wanted = { sets: setsFor(policies, required), actions };
    const held: PolicySet[] = [];
    try {
      await this.#inTurns(wanted, holdInSteps(wanted, held), budget);
      if (filters !== undefined) await this.#small(wanted, budget);
      for (const set of wanted.sets) {
        // What is small and still missing is built where it is looked into.
        if (filters !== undefined && set.price <= QUICK) continue;
        for (const action of actions) {
          if (set.hasIndexOf(action)) continue;
          // Not an argument of `budget?.spend`, which is not evaluated where there is no budget.
          const units = await this.#shared({ set, action });
          budget?.spend(units);
        }
      }
      // Others may have been made meanwhile, in their place.
      await this.#filters(filters, actions, budget);
      if (wanted.sets === policies.sets) for (const action of actions) filters?.noteWhole(action);
    } finally {
      // The waiting request decides before the next turn of the event loop.
      setImmediate(() => void this.#inTurns(wanted, releaseInSteps({ sets: held, actions })));
    }
  }

  /** Runs steps about what is wanted: few of them at once, since a turn of the event loop would take longer. */
  async #inTurns(wanted: WantedIndexes, steps: Steps<void>, budget?: WorkBudget): Promise<void> {
    if (pairsOf(wanted) <= FEW) finish(steps);
    else await this.#scheduler.run(steps, { budget });
  }

  async #filters(
    filters: SetFilters | undefined,
    actions: ReadonlySet<string>,
    budget: WorkBudget | undefined,
  ): Promise<void> {
    if (filters === undefined || [...actions].every((action) => filters.known(action) !== undefined)) return;
    await this.#queue.run(() => this.#scheduler.run(filters.makeMissingInSteps(actions), { budget }));
  }

  /** Builds the small indexes of many sets together: a turn of the event loop for each would take longer than the work. */
  async #small(wanted: WantedIndexes, budget: WorkBudget | undefined): Promise<void> {
    // Within the decision it takes no turn.
    if (budget === undefined && pairsOf(wanted) <= FEW && priceOfMissing(wanted) <= QUICK) return;
    await this.#queue.run(() => this.#scheduler.run(buildMissingInSteps(wanted, QUICK), { budget }));
  }

  #shared({ set, action }: Missing): Promise<number> {
    let builds = this.#running.get(set);
    if (builds === undefined) {
      builds = new Map();
      this.#running.set(set, builds);
    }
    const running = builds.get(action);
    if (running !== undefined) return running;
    const own = builds;
    const build = this.#queue
      .run(() => this.#scheduler.run(counted(set.indexes.build(action))))
      .finally(() => own.delete(action));
    own.set(action, build);
    return build;
  }
}

function pairsOf({ sets, actions }: WantedIndexes): number {
  return sets.length * actions.size;
}

function priceOfMissing({ sets, actions }: WantedIndexes): number {
  let price = 0;
  for (const set of sets) for (const action of actions) if (!set.hasIndexOf(action)) price += set.price;
  return price;
}

/** Builds the index. Returns the units of work. */
function* counted(steps: Steps<unknown>): Steps<number> {
  let units = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return units;
    units += step.value;
    yield step.value;
  }
}

/** True if a decision about these permissions needs no long work first. */
export function isQuick(policies: CompiledPolicies, required: RequiredPermissions): boolean {
  if ("action" in required)
    return priceOf(policies, required.action.toWellFormed(), required.resource) <= QUICK;
  let price = 0;
  for (const action of actionsOf(required)) {
    price += priceOf(policies, action, ANYTHING);
    if (price > QUICK) return false;
  }
  return true;
}

/** A resource that is no ARN: what is asked for it, is asked for any. */
const ANYTHING = "*";

/** Units of work of building what is missing for an action and a resource. */
function priceOf(policies: CompiledPolicies, action: string, resource: string): number {
  const { sets, filters } = policies;
  if (filters === undefined) return priceOfAll(sets, action);
  const filter = filters.known(action);
  if (filter === undefined) return filters.price + priceOfAll(sets, action);
  if (!findConcerned(policies, filter, resource)) {
    // Indexes of all sets were built. What a small set has dropped since is built where it is looked into.
    const price = priceOfAll(filters.isWhole(action) ? filters.large : sets, action);
    if (price === 0) filters.noteWhole(action);
    return price;
  }
  let price = 0;
  for (let index = 0; index < concerned.count; index++) {
    const set = sets[concerned.positions[index] as number] as PolicySet;
    if (!set.hasIndexOf(action)) price += set.price;
  }
  return price;
}

function priceOfAll(sets: readonly PolicySet[], action: string): number {
  let price = 0;
  for (let index = 0; index < sets.length; index++) {
    const set = sets[index] as PolicySet;
    if (!set.hasIndexOf(action)) price += set.price;
  }
  return price;
}

/** The sets that a decision looks into: those that may have something about its resource, or all. */
function setsFor(policies: CompiledPolicies, required: RequiredPermissions): readonly PolicySet[] {
  const { sets, filters } = policies;
  if (!("action" in required)) return sets;
  const filter = filters?.known(required.action.toWellFormed());
  if (filter === undefined || !findConcerned(policies, filter, required.resource)) return sets;
  return Array.from({ length: concerned.count }, (_, index) => sets[concerned.positions[index] as number]!);
}

const asked = new RequiredResource();
/** The sets that {@link findConcerned} found last. */
const concerned = new FoundSets();

/** Finds the sets that may have something about a resource; false for one that is no ARN. */
function findConcerned({ arnPrefix, sets }: CompiledPolicies, filter: SetFilter, resource: string): boolean {
  asked.set(resource.toWellFormed(), arnPrefix);
  if (!asked.isArn) return false;
  concerned.begin(sets.length);
  filter.find(asked, concerned);
  return true;
}
