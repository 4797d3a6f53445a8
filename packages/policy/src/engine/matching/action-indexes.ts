/**
 * The indexes of a set of policies, one for each requested action. Actions with the same statements share an index.
 * Their total weight is bounded: beyond the bound, long lists of statements are indexed once for all actions, and the
 * oldest indexes are dropped, except those that a caller holds.
 */

import type { CompiledStatement } from "../statement.ts";
import { finish, PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import type { ActionLists } from "./action-lists.ts";
import { NO_STATEMENT } from "./matches.ts";
import { ResourceIndex } from "./resource-index.ts";

/** Actions whose index is remembered, so that made-up action names cannot fill the memory. */
const MOST_ACTIONS = 512;
/** Bound of the total weight of the indexes of a set, as a multiple of the weight of the set. */
const BUDGET = 4;
const LEAST_BUDGET = 20_000;
/** Beyond the budget, a list of at least this weight has an index of its own. */
const LONG_LIST = 256;

/** The statements with one list of actions. */
export class ListedStatements {
  readonly statements: CompiledStatement[] = [];
  readonly orders: number[] = [];
  /** Resources of the statements, at least one for each. */
  weight = 0;
  /** Order of the first statement of effect exactly `allow`, or {@link NO_STATEMENT}. */
  opener = NO_STATEMENT;
  /** Their own index, after its first use. */
  own: ResourceIndex | undefined;

  /** Adds a statement at its position in the set. */
  add(statement: CompiledStatement, order: number): void {
    const { resources = [] } = statement;
    this.statements.push(statement);
    this.orders.push(order);
    this.weight += Math.max(1, resources.length);
    if (this.opener !== NO_STATEMENT) return;
    if (statement.policy.statement[statement.index]?.effect === "allow") this.opener = order;
  }
}

/** The statements that match one action. */
export interface ActionIndex {
  /** A resource is looked up in each of them. */
  readonly resources: readonly ResourceIndex[];
  /**
   * Order of the first of them with effect exactly `allow`, which opens the gate of spec/evaluation §10, or
   * {@link NO_STATEMENT}.
   */
  readonly opener: number;
}

interface Row extends ActionIndex {
  readonly lists: readonly number[];
  readonly weight: number;
  /** Remembered actions that use it. */
  actions: number;
}

/** The indexes of one set. */
export class ActionIndexes {
  readonly #partition: string;
  readonly #lists: ActionLists;
  readonly #byList: readonly ListedStatements[];
  readonly #budget: number;
  readonly #rows: Row[] = [];
  readonly #actions = new Map<string, Row>();
  readonly #held = new Map<string, number>();
  #weight = 0;

  constructor(partition: string, lists: ActionLists, byList: readonly ListedStatements[]) {
    this.#partition = partition;
    this.#lists = lists;
    this.#byList = byList;
    this.#budget = Math.max(LEAST_BUDGET, byList.reduce((sum, { weight }) => sum + weight, 0) * BUDGET);
  }

  /** The index of an action if it was built. */
  known(action: string): ActionIndex | undefined {
    return this.#actions.get(action);
  }

  /** The index of an action; builds it if it is missing. */
  of(action: string): ActionIndex {
    return this.#actions.get(action) ?? finish(this.build(action));
  }

  /** Builds the index of an action step by step; yields the units of work done since the last step. */
  *build(action: string): Steps<ActionIndex> {
    const lists = yield* this.#lists.matchingInSteps(action);
    let row = this.#rowOf(lists);
    if (row === undefined) {
      const built = yield* this.#buildRow(lists);
      // Another build of the same statements may have come first.
      row = this.#rowOf(lists) ?? this.#added(built);
    }
    if (!this.#actions.has(action)) {
      this.#actions.set(action, row);
      row.actions++;
      this.#dropOldest(action);
    }
    return row;
  }

  /** Keeps the index of an action until {@link release}. */
  hold(action: string): void {
    this.#held.set(action, (this.#held.get(action) ?? 0) + 1);
  }

  /** Ends one {@link hold}. */
  release(action: string): void {
    const count = (this.#held.get(action) ?? 1) - 1;
    if (count === 0) this.#held.delete(action);
    else this.#held.set(action, count);
  }

  #rowOf(lists: readonly number[]): Row | undefined {
    return this.#rows.find((row) => sameLists(row.lists, lists));
  }

  *#buildRow(lists: readonly number[]): Steps<Row> {
    const all = lists.map((list) => this.#byList[list] as ListedStatements);
    const opener = firstOf(all);
    const weight = weightOf(all);
    // Where a long list has an index already, another would only need time and memory.
    if (this.#weight + weight <= this.#budget && all.every(({ own }) => own === undefined)) {
      return { lists, resources: [yield* this.#indexed(all)], opener, weight, actions: 0 };
    }
    const resources: ResourceIndex[] = [];
    for (const one of all) {
      if (one.weight < LONG_LIST) continue;
      one.own ??= yield* this.#indexed([one]);
      resources.push(one.own);
    }
    const short = all.filter((one) => one.weight < LONG_LIST);
    if (short.length > 0) resources.push(yield* this.#indexed(short));
    return { lists, resources, opener, weight: weightOf(short), actions: 0 };
  }

  *#indexed(some: readonly ListedStatements[]): Steps<ResourceIndex> {
    const index = new ResourceIndex(this.#partition);
    let work = 0;
    for (const { statements, orders } of some) {
      for (const [position, statement] of statements.entries()) {
        work += PER_ITEM;
        for (const resource of statement.resources ?? []) {
          index.add(resource, statement, orders[position] as number);
          work += PER_ITEM + resource.length * 4;
          if (work < STEP_UNITS) continue;
          yield work;
          work = 0;
        }
      }
    }
    yield work;
    yield* index.sealInSteps();
    return index;
  }

  #added(row: Row): Row {
    this.#rows.push(row);
    this.#weight += row.weight;
    return row;
  }

  /** Drops the oldest indexes until the rest is within the bounds. */
  #dropOldest(newest: string): void {
    if (this.#actions.size <= MOST_ACTIONS && this.#weight <= this.#budget) return;
    for (const [action, row] of this.#actions) {
      if (this.#actions.size <= MOST_ACTIONS && this.#weight <= this.#budget) return;
      if (action === newest || this.#held.has(action)) continue;
      this.#actions.delete(action);
      if (--row.actions > 0) continue;
      this.#rows.splice(this.#rows.indexOf(row), 1);
      this.#weight -= row.weight;
    }
  }
}

/** The first opener of several lists. */
function firstOf(lists: readonly ListedStatements[]): number {
  const openers = lists.map(({ opener }) => opener).filter((order) => order !== NO_STATEMENT);
  // Not spread into one call: a set may have more lists than a call takes arguments.
  return openers.reduce(
    (first, order) => (first === NO_STATEMENT ? order : Math.min(first, order)),
    NO_STATEMENT,
  );
}

function weightOf(lists: readonly ListedStatements[]): number {
  return lists.reduce((sum, { weight }) => sum + weight, 0);
}

function sameLists(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((list, position) => list === b[position]);
}
