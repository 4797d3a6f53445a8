/** Turns of long work in the thread that decides: other work of the process goes on between them. */

import { setImmediate as nextTurn } from "node:timers/promises";

/** Longest work without a break, in milliseconds, and steps between two looks at the clock. */
const TURN_MS = 5;
const STEPS = 64;

/** Divides long work: `if (turns.isOver) await turns.next()` in its loop. */
export class Turns {
  #endsAt = performance.now() + TURN_MS;
  #steps = 0;

  /** True where other work has waited long enough. To be asked once for each step. */
  get isOver(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS === 0 && performance.now() >= this.#endsAt;
  }

  /** Resolves when other work was done. */
  async next(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + TURN_MS;
  }
}
