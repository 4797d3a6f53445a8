/** The filters of the sets of one user, or of users with the same sets, by action. */

import { SetFilter } from "../matching/set-filter.ts";
import { finish, type Steps } from "../work.ts";
import type { PolicySet } from "./policy-set.ts";

/** Actions whose filter is remembered, so that made-up action names cannot fill the memory. */
const MOST_ACTIONS = 64;
/** Most bytes of all filters of this process. Beyond it the oldest are dropped, and made again where they are needed. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Units of work of the index of a set that is large. */
const LARGE = 100_000;
/** Units of work of a statement in a filter. */
const PER_STATEMENT = 25;

/** Makes filters when they are first needed. */
export class SetFilters {
  readonly #sets: readonly PolicySet[];
  readonly #byAction = new Map<string, SetFilter>();

  /** Those sets of which an index is much work. */
  readonly large: readonly PolicySet[];
  /** About the units of work of making one filter. */
  readonly price: number;

  /** @param sets those of a user */
  constructor(sets: readonly PolicySet[]) {
    this.#sets = sets;
    this.large = sets.filter(({ price }) => price > LARGE);
    this.price = sets.reduce((sum, { size }) => sum + size * PER_STATEMENT, 0);
  }

  /** The filter of an action, if it was made. */
  known(action: string): SetFilter | undefined {
    return this.#byAction.get(action);
  }

  /** The filter of an action; makes it if it is missing. */
  of(action: string): SetFilter {
    return this.#byAction.get(action) ?? finish(this.makeInSteps(action));
  }

  /** Makes the filter of an action, step by step; actions about which the same statements are share one. */
  *makeInSteps(action: string): Steps<SetFilter> {
    const filter = yield* SetFilter.inSteps(this.#sets, action, this.#byAction.values());
    const known = this.#byAction.get(action);
    if (known !== undefined) return known;
    const isNew = ![...this.#byAction.values()].includes(filter);
    if (this.#byAction.size >= MOST_ACTIONS)
      this.#byAction.delete(this.#byAction.keys().next().value as string);
    this.#byAction.set(action, filter);
    if (isNew) memory.add(this, filter);
    return filter;
  }

  /** Makes the missing filters of some actions. */
  *makeMissingInSteps(actions: Iterable<string>): Steps<void> {
    for (const action of actions) if (!this.#byAction.has(action)) yield* this.makeInSteps(action);
  }

  /** Forgets a filter. */
  drop(filter: SetFilter): void {
    for (const [action, one] of this.#byAction) if (one === filter) this.#byAction.delete(action);
  }
}

/** A filter in memory. */
interface Made {
  readonly owner: WeakRef<SetFilters>;
  readonly filter: WeakRef<SetFilter>;
  readonly bytes: number;
}

/** The memory of all filters of the process. It keeps none of them: whose sets nobody has any more are gone. */
class FilterMemory {
  readonly #made: Made[] = [];
  #bytes = 0;

  add(owner: SetFilters, filter: SetFilter): void {
    const { bytes } = filter;
    this.#made.push({ owner: new WeakRef(owner), filter: new WeakRef(filter), bytes });
    this.#bytes += bytes;
    while (this.#bytes > MOST_BYTES && this.#made.length > 1) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#made.shift();
    const filter = oldest?.filter.deref();
    if (filter !== undefined) oldest?.owner.deref()?.drop(filter);
    this.#bytes -= oldest?.bytes ?? 0;
  }
}

const memory = new FilterMemory();
