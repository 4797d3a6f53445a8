/** Repetitions of names and texts in data sets: all are counted, and as many are kept as are told. */

import type { Numbered } from "../compact/numbered-hashes.ts";
import { MAX_REPORTED_PROBLEMS } from "./problem-list.ts";

/** A text that was given before. */
interface Repetition {
  readonly repeated: Numbered;
  readonly first: Numbered;
}

/** Repetitions, added in any order. */
export class Repetitions {
  #kept: Repetition[] = [];
  #count = 0;

  /** Adds one. */
  add(repetition: Repetition): void {
    this.#count += 1;
    this.#kept.push(repetition);
    if (this.#kept.length >= 2 * MAX_REPORTED_PROBLEMS) this.#kept = [...this.first()];
  }

  /** Number of all. */
  get count(): number {
    return this.#count;
  }

  /** The first ones in the order of reading. */
  first(): readonly Repetition[] {
    return this.#kept
      .sort(({ repeated: a }, { repeated: b }) => a.number - b.number || a.index - b.index)
      .slice(0, MAX_REPORTED_PROBLEMS);
  }
}
