/** Repetitions of names and texts in data sets: all are counted, and as many are kept as are told. */

import type { Numbered } from "../compact/numbered-hashes.ts";
import { MAX_REPORTED_PROBLEMS, type ProblemList, type ProblemSource } from "./problem-list.ts";

/** A text that was given before. */
interface Repetition {
  readonly repeated: Numbered;
  readonly first: Numbered;
}

/** A repetition as it is told. */
interface RepetitionProblem {
  readonly source: ProblemSource;
  readonly pointer: string;
  readonly message: string;
}

/** Repetitions, added in any order. */
export class Repetitions {
  #kept: Repetition[] = [];
  #count = 0;

  /** Adds one. */
  add(repetition: Repetition): void {
    this.#count += 1;
    this.#kept.push(repetition);
    if (this.#kept.length >= 2 * MAX_REPORTED_PROBLEMS) this.#kept = this.#first();
  }

  /** Adds the first ones in the order of reading to problems, and counts the others. */
  addTo(problems: ProblemList, problemOf: (repetition: Repetition) => RepetitionProblem): void {
    const first = this.#first();
    for (const repetition of first) {
      const { source, pointer, message } = problemOf(repetition);
      problems.add(source, pointer, message);
    }
    problems.addUntold(this.#count - first.length);
  }

  #first(): Repetition[] {
    return this.#kept
      .sort(({ repeated: a }, { repeated: b }) => a.number - b.number || a.index - b.index)
      .slice(0, MAX_REPORTED_PROBLEMS);
  }
}
