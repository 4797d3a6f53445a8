/**
 * Builds indexes of policy sets by action: in slices, a few at a time, each once for all waiting requests. An index
 * stays until the waiting request has been decided.
 */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { PolicySet } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { actionsOf } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { Steps } from "@svc-authorizer/policy/engine/work.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Scheduler, WorkBudget } from "../schedule/scheduler.ts";
import { WorkQueue } from "../schedule/work-queue.ts";

/** Indexes with at most this many units of work in total are built inside the decision: about a millisecond. */
const QUICK = 1_000_000;
/** Number of concurrent builds. */
const MOST_BUILDS = 2;

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
    const wanted = policies.sets.flatMap((set) => [...actions].map((action) => ({ set, action })));
    for (const { set, action } of wanted) set.indexes.hold(action);
    try {
      if (policies.filters !== undefined) await this.#small(wanted, budget);
      for (const one of wanted) {
        if (one.set.indexes.known(one.action) !== undefined) continue;
        // Not an argument of `budget?.spend`, which is not evaluated where there is no budget.
        const units = await this.#shared(one);
        budget?.spend(units);
      }
      if (policies.filters !== undefined)
        await this.#scheduler.run(policies.filters.makeMissingInSteps(actions), { budget });
    } finally {
      // The waiting request decides before the next turn of the event loop.
      setImmediate(() => {
        for (const { set, action } of wanted) set.indexes.release(action);
      });
    }
  }

  /** Builds the small indexes of many sets together: a turn of the event loop for each would take longer than the work. */
  #small(wanted: readonly Missing[], budget: WorkBudget | undefined): Promise<void> {
    return this.#queue.run(() => this.#scheduler.run(buildSmall(wanted), { budget }));
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

function* buildSmall(wanted: readonly Missing[]): Steps<void> {
  for (const { set, action } of wanted) {
    if (set.price <= QUICK && set.indexes.known(action) === undefined) yield* set.indexes.build(action);
  }
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
  if ("action" in required) return priceOf(policies, required.action.toWellFormed()) <= QUICK;
  let price = 0;
  for (const action of actionsOf(required)) {
    price += priceOf(policies, action);
    if (price > QUICK) return false;
  }
  return true;
}

/** Units of work of building the missing indexes of an action. */
function priceOf({ sets: all, filters }: CompiledPolicies, action: string): number {
  // Indexes of many sets were built for the filter. What a small set has dropped since is built where it is looked into.
  const isFiltered = filters?.known(action) !== undefined;
  const sets = isFiltered ? filters.large : all;
  let price = filters === undefined || isFiltered ? 0 : filters.price;
  for (let index = 0; index < sets.length; index++) {
    const { indexes, price: own } = sets[index] as PolicySet;
    if (indexes.known(action) === undefined) price += own;
  }
  return price;
}
