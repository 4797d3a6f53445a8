/** Finds which of many patterns may meet another one, without looking at each of them. */

import type { Pattern } from "./pattern-positions.ts";

/** Things with a pattern, by its literal beginning: patterns meet only if one beginning begins with the other. */
export class PatternIndex<T extends { readonly resource: Pattern }> {
  readonly #items: readonly T[];
  /** Indexes of the items by beginning. */
  readonly #byBegin = new Map<string, number[]>();
  /** All beginnings, sorted. */
  readonly #begins: readonly string[];
  /** Lengths of beginnings, each once, ascending. */
  readonly #lengths: readonly number[];

  constructor(items: readonly T[]) {
    this.#items = items;
    for (const [index, { resource }] of items.entries()) {
      const known = this.#byBegin.get(resource.begin);
      if (known === undefined) this.#byBegin.set(resource.begin, [index]);
      else known.push(index);
    }
    this.#begins = [...this.#byBegin.keys()].sort();
    this.#lengths = [...new Set(this.#begins.map(({ length }) => length))].sort((a, b) => a - b);
  }

  /** The items whose pattern may meet this one, in the order in which they were given. */
  near(pattern: Pattern): readonly T[] {
    const indexes = [...this.#beginnings(pattern.begin)].flatMap((begin) => this.#byBegin.get(begin) ?? []);
    return indexes
      .sort((a, b) => a - b)
      .map((index) => this.#items[index] as T)
      .filter(({ resource }) => resource.mayMeet(pattern));
  }

  /** True if the pattern of some item may meet this one and the test holds for that item. */
  some(pattern: Pattern, test: (item: T) => boolean): boolean {
    for (const begin of this.#beginnings(pattern.begin)) {
      for (const index of this.#byBegin.get(begin) ?? []) {
        const item = this.#items[index] as T;
        if (item.resource.mayMeet(pattern) && test(item)) return true;
      }
    }
    return false;
  }

  /** The beginnings that begin with a text, and those with which it begins. */
  *#beginnings(text: string): Generator<string> {
    for (const length of this.#lengths) {
      if (length >= text.length) break;
      yield text.slice(0, length);
    }
    for (let at = this.#placeOf(text); at < this.#begins.length; at++) {
      const begin = this.#begins[at] as string;
      if (!begin.startsWith(text)) return;
      yield begin;
    }
  }

  /** The place of the first beginning that is not before a text. */
  #placeOf(text: string): number {
    let [low, high] = [0, this.#begins.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#begins[middle] as string) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
