/** The filters of the sets of one user, or of users with the same sets, by action. */

import type { MatchingLists } from "../matching/set-beginnings.ts";
import { SetFilter } from "../matching/set-filter.ts";
import type { ActionList } from "../statement.ts";
import { finish, PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import type { PolicySet } from "./policy-set.ts";

/** Actions whose filter is remembered, so that made-up action names cannot fill the memory. */
const MOST_ACTIONS = 512;
/** Most bytes of all filters of this process. Beyond it the oldest are dropped, and made again where they are needed. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Units of work of the index of a set that is large. */
const LARGE = 100_000;
/** Units of work of a statement in a filter. */
const PER_STATEMENT = 2 * PER_ITEM;
/** Units of work of matching a list of actions. */
const PER_LIST = 100;

/** Makes filters when they are first needed. */
export class SetFilters {
  readonly #sets: readonly PolicySet[];
  readonly #byAction = new Map<string, SetFilter>();
  /** The distinct lists of actions of all statements, after the first filter. */
  #lists: readonly ActionList[] | undefined;

  /** Those sets of which an index is much work. */
  readonly large: readonly PolicySet[];
  /** Actions of which the indexes of all sets were built. */
  readonly #whole = new Set<string>();
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

  /**
   * Makes the filter of an action, step by step; actions that the same lists match share one.
   * @param needed actions whose filters are needed together
   */
  *makeInSteps(action: string, needed = 1): Steps<SetFilter> {
    const lists = yield* this.#matching(action);
    const known = this.#knownOf(lists);
    const made = known ?? (yield* SetFilter.inSteps(this.#sets, lists));
    // Somebody else may have made one meanwhile.
    const filter = this.#byAction.get(action) ?? this.#knownOf(lists) ?? made;
    const most = Math.max(MOST_ACTIONS, needed);
    if (!this.#byAction.has(action))
      while (this.#byAction.size >= most) this.#forget(this.#byAction.keys().next().value as string);
    const isNew = filter === made && made !== known;
    this.#byAction.set(action, filter);
    if (isNew) memory.add(this, filter);
    return filter;
  }

  /** Notes that the indexes of all sets were built for an action whose filter is known. */
  noteWhole(action: string): void {
    if (this.#byAction.has(action)) this.#whole.add(action);
  }

  /** True if the indexes of all sets were built for an action: that of a small set may have been dropped since. */
  isWhole(action: string): boolean {
    return this.#whole.has(action);
  }

  /** Makes the missing filters of some actions, all of which are there at the end. */
  *makeMissingInSteps(actions: ReadonlySet<string>): Steps<void> {
    for (const action of actions) {
      const known = this.#byAction.get(action);
      if (known === undefined) yield* this.makeInSteps(action, actions.size);
      else {
        // The newest are forgotten last.
        this.#byAction.delete(action);
        this.#byAction.set(action, known);
      }
    }
  }

  *#matching(action: string): Steps<MatchingLists> {
    this.#lists ??= [...new Set(this.#sets.flatMap(({ lists }) => lists))];
    const matching = new Set<ActionList>();
    let work = 0;
    for (const list of this.#lists) {
      work += PER_LIST + list.text.length;
      if (list.matchers.some((matcher) => matcher.match(action))) matching.add(list);
      if (work < STEP_UNITS) continue;
      yield work;
      work = 0;
    }
    yield work;
    return matching;
  }

  #knownOf(lists: MatchingLists): SetFilter | undefined {
    for (const filter of this.#byAction.values()) if (isSame(filter.lists, lists)) return filter;
    return undefined;
  }

  /** Forgets a filter. */
  drop(filter: SetFilter): void {
    for (const [action, one] of this.#byAction) if (one === filter) this.#forget(action);
  }

  #forget(action: string): void {
    this.#byAction.delete(action);
    this.#whole.delete(action);
  }
}

/** True for the same lists. */
function isSame(a: MatchingLists, b: MatchingLists): boolean {
  if (a.size !== b.size) return false;
  for (const list of a) if (!b.has(list)) return false;
  return true;
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
