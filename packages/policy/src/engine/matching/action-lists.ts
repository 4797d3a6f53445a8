/** The distinct lists of action patterns in a set of policies, and which of them match an action. */

import { hasWildcard, type Wildcard } from "../patterns/wildcard.ts";
import type { ActionList } from "../statement.ts";
import { STEP_UNITS, type Steps } from "../work.ts";

/** A pattern with wildcards and the lists that hold it. */
interface WildEntry {
  readonly pattern: Wildcard;
  readonly length: number;
  readonly lists: number[];
}

/** Numbers lists of action patterns in the order in which they are added, and finds those that match. */
export class ActionLists {
  readonly #idByText = new Map<string, number>();
  readonly #exact = new Map<string, number[]>();
  readonly #wild = new Map<string, WildEntry>();

  /** Number of distinct lists. */
  get size(): number {
    return this.#idByText.size;
  }

  /** The number of a list. Equal lists have the same number. */
  add(list: ActionList): number {
    const known = this.#idByText.get(list.text);
    if (known !== undefined) return known;
    const id = this.#idByText.size;
    this.#idByText.set(list.text, id);
    for (const [position, pattern] of list.patterns.entries()) {
      this.#addPattern(pattern, list.matchers[position] as Wildcard, id);
    }
    return id;
  }

  #addPattern(pattern: string, matcher: Wildcard, list: number): void {
    if (!hasWildcard(pattern)) {
      const literal = pattern.toWellFormed();
      const lists = this.#exact.get(literal);
      if (lists === undefined) this.#exact.set(literal, [list]);
      else if (lists.at(-1) !== list) lists.push(list);
      return;
    }
    const entry = this.#wild.get(pattern);
    if (entry === undefined)
      this.#wild.set(pattern, { pattern: matcher, length: pattern.length, lists: [list] });
    else if (entry.lists.at(-1) !== list) entry.lists.push(list);
  }

  /** Numbers of the lists with a pattern that matches the action, ascending. */
  *matchingInSteps(action: string): Steps<number[]> {
    const found = new Set(this.#exact.get(action));
    let work = 0;
    for (const { pattern, length, lists } of this.#wild.values()) {
      work += 50 + length + action.length;
      if (work > STEP_UNITS) {
        yield work;
        work = 0;
      }
      if (!pattern.match(action)) continue;
      for (const list of lists) found.add(list);
    }
    yield work;
    return [...found].sort((a, b) => a - b);
  }
}
