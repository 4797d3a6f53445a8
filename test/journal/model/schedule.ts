/** Decides which of the calls that wait goes on next, from a list of numbers that a test makes up and shrinks. */

/** Turns of the event loop after which nothing that is under way can still be at work. */
const QUIET_TURNS = 20;
const MOST_STEPS = 8_000;

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

  /** Nothing goes wrong from now on. */
  calm(): void {
    this.#used = this.#choices.length;
  }

  /** True once in so many times; never once the choices are used up. */
  rarely(times: number): boolean {
    return this.choose(times) === times - 1;
  }

  /** Resolves when the schedule lets whoever waits go on. */
  step(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Waits for up to so many steps of its own. */
  async wait(most: number): Promise<void> {
    for (let left = this.choose(most); left > 0; left--) await this.step();
  }

  /** Runs until nothing waits. False where it does not end. */
  async run(): Promise<boolean> {
    const end = this.steps + MOST_STEPS;
    for (;;) {
      // What is not a step is done within the same turn of the event loop.
      await nextTurn();
      // On a busy machine work in turns may have given way: nothing waits only when nothing comes.
      for (let turn = 0; turn < QUIET_TURNS && this.#waiting.length === 0; turn++) await nextTurn();
      if (this.#waiting.length === 0) return true;
      if (this.steps++ > end) return false;
      const [next] = this.#waiting.splice(this.choose(this.#waiting.length), 1);
      next!();
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
