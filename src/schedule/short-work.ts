/**
 * Many short pieces of work that may all become possible at once, as when what they wait for is there: together they take one
 * place beside other long work (spec/security §5.3).
 */

import { Turns } from "./turns.ts";

/** Does pieces in the order in which they come, as many in one turn as have time in it. */
export class ShortWork {
  readonly #waiting: (() => void)[] = [];
  #isWorking = false;

  /** Does a piece when it is its turn; settles as the piece ends. What it begins and does not await is not in the turn. */
  run<T>(piece: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(piece());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    const turns = new Turns();
    await turns.yield();
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      piece();
      if (turns.spent) await turns.yield();
    }
    this.#isWorking = false;
  }
}
