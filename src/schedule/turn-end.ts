/**
 * Small tasks at the end of a turn of the event loop, when all that had arrived is read. Done one after another they
 * cost less than between other work, since the processor then still knows their code.
 */

/** Tasks that wait at most: more are done at once, so that the first does not wait long. */
const MOST_WAITING = 64;

/** Gathers tasks. They must not throw. */
export class TurnEnd {
  #waiting: (() => void)[] = [];

  /** Does a task at the end of this turn, before long work, in the order in which tasks came; also one that a task adds. */
  add(task: () => void): void {
    this.#waiting.push(task);
    if (this.#waiting.length === 1) setImmediate(() => this.run());
    else if (this.#waiting.length >= MOST_WAITING) this.run();
  }

  /** Does now what waits, and what that adds. */
  run(): void {
    while (this.#waiting.length > 0) {
      const tasks = this.#waiting;
      this.#waiting = [];
      for (const task of tasks) task();
    }
  }
}

/** The end of turns of this process. */
export const turnEnd = new TurnEnd();
