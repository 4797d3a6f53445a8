/** Decides which of the calls that wait goes on next, from a list of numbers that a test makes up and shrinks. */

import { setTimeout as delay } from "node:timers/promises";

/** One run of a schedule. */
export class Schedule {
  /** Steps so far: the clock of the run. */
  steps = 0;
  readonly #choices: readonly number[];
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  /** A number below `count`; 0 once the choices are used up. */
  choose(count: number): number {
    const choice = this.#choices[this.#used++];
    return choice === undefined ? 0 : choice % count;
  }

  /** Resolves when the schedule lets whoever waits go on. */
  step(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Runs until nothing waits. False where it does not end. */
  async run(): Promise<boolean> {
    for (;;) {
      // What is not a step is done within the same turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waiting.length === 0) {
        // On a busy machine work in turns may have given way: nothing waits only when nothing comes.
        await delay(3);
        if (this.#waiting.length === 0) return true;
      }
      if (this.steps++ > 20_000) return false;
      const [next] = this.#waiting.splice(this.choose(this.#waiting.length), 1);
      next!();
    }
  }
}
