/** The filters of the sets of one user, or of users with the same sets, by action. */

import type { MatchingLists } from "../matching/set-beginnings.ts";
import { SetFilter } from "../matching/set-filter.ts";
import type { ActionList } from "../statement.ts";
import { finish, PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import { MadeFilters } from "./made-filters.ts";
import type { PolicySet } from "./policy-set.ts";

/** Actions whose filter is remembered, so that made-up action names cannot fill the memory. */
const MOST_ACTIONS = 512;
/** Units of work of the index of a set that is large. */
const LARGE = 100_000;
/** Units of work of a statement in a filter. */
const PER_STATEMENT = 2 * PER_ITEM;
/** Units of work of matching a list of actions. */
const PER_LIST = 100;

/** Most statements of a set that a filter may name for each resource after a change, since that needs its index. */
const MOST_STATEMENTS = 1_000;

/** Makes filters when they are first needed. */
export class SetFilters {
  readonly #sets: readonly PolicySet[];
  readonly #made = new MadeFilters();
  readonly #earlier: Earlier | undefined;
  /** The distinct lists of actions of all statements, after the first filter. */
  #lists: readonly ActionList[] | undefined;

  /** Those sets of which an index is much work. */
  readonly large: readonly PolicySet[];
  /** About the units of work of making one filter. */
  readonly price: number;

  /**
   * @param sets those of a user
   * @param earlier filters of as many sets, if only a few of these are others: their filters are changed instead of made anew
   * @param changed positions of the other sets
   */
  constructor(sets: readonly PolicySet[], earlier?: SetFilters, changed: readonly number[] = []) {
    this.#sets = sets;
    let price = 0;
    const large: PolicySet[] = [];
    for (const set of sets) {
      price += set.size * PER_STATEMENT;
      if (set.price > LARGE) large.push(set);
    }
    this.price = price;
    this.large = large;
    const others = new Map(changed.map((position) => [position, sets[position] as PolicySet]));
    const isShort = [...others.values()].every(({ size }) => size <= MOST_STATEMENTS);
    // Not the filters themselves, which have those of before.
    if (earlier !== undefined && isShort) this.#earlier = { made: earlier.#made, others };
  }

  /** The filter of an action, if it was made. */
  known(action: string): SetFilter | undefined {
    return this.#made.of(action);
  }

  /** The filter of an action; makes it if it is missing. */
  of(action: string): SetFilter {
    return this.#made.of(action) ?? finish(this.makeInSteps(action));
  }

  /**
   * Makes the filter of an action, step by step; actions that the same lists match share one.
   * @param needed actions whose filters are needed together
   */
  *makeInSteps(action: string, needed = 1): Steps<SetFilter> {
    const filter = (yield* this.#changed(action)) ?? (yield* this.#anew(action));
    return this.#made.add(action, filter, Math.max(MOST_ACTIONS, needed));
  }

  *#anew(action: string): Steps<SetFilter> {
    const lists = yield* this.#matching(action);
    return this.#made.ofLists(lists) ?? (yield* SetFilter.inSteps(this.#sets, lists));
  }

  /** The earlier filter of the action for the sets of now. */
  *#changed(action: string): Steps<SetFilter | undefined> {
    const { made, others = NO_SETS } = this.#earlier ?? {};
    const filter = made?.of(action);
    if (filter === undefined) return undefined;
    const found = [...others.values()].flatMap(({ lists }) => lists);
    const lists = new Set([...filter.lists, ...(yield* matchingInSteps(new Set(found), action))]);
    return this.#made.ofLists(lists) ?? (yield* filter.changedInSteps(others, lists));
  }

  /** Notes that the indexes of all sets were built for an action whose filter is known. */
  noteWhole(action: string): void {
    this.#made.noteWhole(action);
  }

  /** True if the indexes of all sets were built for an action: that of a small set may have been dropped since. */
  isWhole(action: string): boolean {
    return this.#made.isWhole(action);
  }

  /** Makes the missing filters of some actions, all of which are there at the end. */
  *makeMissingInSteps(actions: ReadonlySet<string>): Steps<void> {
    for (const action of actions) {
      const known = this.#made.of(action);
      if (known === undefined) yield* this.makeInSteps(action, actions.size);
      // The newest are forgotten last.
      else this.#made.renew(action, known);
    }
  }

  *#matching(action: string): Steps<MatchingLists> {
    this.#lists ??= [...new Set(this.#sets.flatMap(({ lists }) => lists))];
    return yield* matchingInSteps(this.#lists, action);
  }
}

/** Filters of the sets before a change. */
interface Earlier {
  readonly made: MadeFilters;
  /** The other sets by their position. */
  readonly others: ReadonlyMap<number, PolicySet>;
}

const NO_SETS: ReadonlyMap<number, PolicySet> = new Map();

function* matchingInSteps(lists: Iterable<ActionList>, action: string): Steps<MatchingLists> {
  const matching = new Set<ActionList>();
  let work = 0;
  for (const list of lists) {
    work += PER_LIST + list.text.length;
    if (list.matchers.some((matcher) => matcher.match(action))) matching.add(list);
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  return matching;
}
