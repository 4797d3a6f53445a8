/**
 * Uses of the statements of one set of policies, by action: two numbers for each statement in the order of the set. All
 * users who have the set count in the same numbers.
 */

import type { StatementOrder } from "@svc-authorizer/policy/engine/compile/statement-order.ts";
import { digestOf } from "./statement-digest.ts";
import type { UsageRow } from "./usage-rows.ts";

/** Most actions of one set that are counted one by one: callers choose the names. */
const MOST_ACTIONS = 500;
const LONGEST_ACTION = 128;
/** Statements of a page; pages are made when one of their statements is used. */
const PAGE_BITS = 8;
const PAGE_MASK = (1 << PAGE_BITS) - 1;
/** Count and time. */
const NUMBERS = 2;

/** The clock and the bounds of what is counted. */
export interface CountBounds {
  /** Asks for room for one more thing; false if there is none. */
  mayCount(): boolean;
  /** Gives the room of things back. */
  forget(things: number): void;
  /** Asks for room for a page; false if there is none. */
  mayAddPage(): boolean;
  /** Gives the room of pages back. */
  dropPages(pages: number): void;
  /** A time in ticks as Unix milliseconds. */
  timeOf(ticks: number): number;
  /** Told when the first statement of something is counted. */
  touched(use: ActionUse): void;
}

/** Uses of one set. */
export class SetUse {
  /** The statements, without the indexes of the set: what is counted may be written when the set is gone. */
  readonly order: StatementOrder;
  readonly #bounds: CountBounds;
  readonly #byAction = new Map<string, ActionUse>();
  /** That of the decision before: usually the next has the same action. */
  #last: ActionUse | undefined;

  constructor(order: StatementOrder, bounds: CountBounds) {
    this.order = order;
    this.#bounds = bounds;
  }

  /** The uses for an action. */
  ofAction(action: string): ActionUse {
    const last = this.#last;
    return last !== undefined && last.action === action ? last : this.#find(action);
  }

  #find(asked: string): ActionUse {
    let use = this.#byAction.get(asked);
    if (use === undefined) {
      const known = this.#byAction.size < MOST_ACTIONS && asked.length <= LONGEST_ACTION;
      const action = known ? asked : "";
      use = this.#byAction.get(action) ?? new ActionUse(action, this.order, this.#bounds);
      this.#byAction.set(action, use);
    }
    this.#last = use;
    return use;
  }
}

/** Uses of the statements of a set for one action. */
export class ActionUse {
  /** "" for further actions. */
  readonly action: string;
  readonly #order: StatementOrder;
  readonly #bounds: CountBounds;
  #pages: (Int32Array | undefined)[] = [];
  #pageCount = 0;
  /** Positions of the statements that are counted. */
  #counted: number[] = [];

  constructor(action: string, order: StatementOrder, bounds: CountBounds) {
    this.action = action;
    this.#order = order;
    this.#bounds = bounds;
  }

  /**
   * Counts a use of a statement.
   * @param order its position
   * @param now in ticks
   */
  add(order: number, now: number): void {
    const page = this.#pages[order >> PAGE_BITS] ?? this.#newPage(order >> PAGE_BITS);
    if (page === undefined) return;
    const at = (order & PAGE_MASK) * NUMBERS;
    const count = page[at] as number;
    if (count === 0 && !this.#begin(order)) return;
    page[at] = count + 1;
    page[at + 1] = now;
  }

  #newPage(index: number): Int32Array | undefined {
    if (!this.#bounds.mayAddPage()) return undefined;
    const page = new Int32Array((PAGE_MASK + 1) * NUMBERS);
    while (this.#pages.length < index) this.#pages.push(undefined);
    this.#pages[index] = page;
    this.#pageCount++;
    return page;
  }

  #begin(order: number): boolean {
    if (!this.#bounds.mayCount()) return false;
    if (this.#counted.length === 0) this.#bounds.touched(this);
    this.#counted.push(order);
    return true;
  }

  /** Yields what was counted, and counts from 0 again. */
  *taken(): Generator<UsageRow> {
    const counted = this.#counted;
    this.#counted = [];
    for (const order of counted) {
      const page = this.#pages[order >> PAGE_BITS] as Int32Array;
      const at = (order & PAGE_MASK) * NUMBERS;
      const statement = this.#order.statementAt(order);
      const count = page[at] as number;
      const last = this.#bounds.timeOf(page[at + 1] as number);
      page[at] = 0;
      this.#bounds.forget(1);
      const { name } = statement.policy;
      yield { kind: "statement", name, part: digestOf(statement), action: this.action, count, last };
    }
    if (this.#counted.length > 0) return;
    this.#bounds.dropPages(this.#pageCount);
    this.#pages = [];
    this.#pageCount = 0;
  }
}
