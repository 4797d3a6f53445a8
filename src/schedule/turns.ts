/** Bulk work yields to other requests (security.md §5.3). */

import { setImmediate } from "node:timers/promises";

const TURN_MS = 8;

/** Lets other work run whenever a turn has lasted long enough. */
export class Turns {
  #began = performance.now();

  /** True when it is time to call {@link yield}. */
  get spent(): boolean {
    return performance.now() - this.#began >= TURN_MS;
  }

  /** Ends the turn; resolves at the beginning of the next. */
  async yield(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}
