/** Bulk work that lets other requests in (spec/security §5.3). */

import { scheduler, TURN_MS } from "./scheduler.ts";

/** Lets other work run whenever a turn has lasted long enough. The first turn begins at once. */
export class Turns {
  #began = performance.now();

  /** True when it is time to call {@link yield}. */
  get spent(): boolean {
    return performance.now() - this.#began >= TURN_MS;
  }

  /** Ends the turn; resolves at the beginning of the next. */
  async yield(): Promise<void> {
    await scheduler.turn();
    this.#began = performance.now();
  }
}
