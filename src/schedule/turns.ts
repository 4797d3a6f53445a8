/** Bulk work that lets other requests in (spec/security §5.3). */

import { scheduler, TURN_MS } from "./scheduler.ts";
import { turnBegan } from "./turn-beginning.ts";

/**
 * Lets other work run whenever a turn has lasted long enough. The first turn is the present one, which may have begun with
 * other long work.
 */
export class Turns {
  #began = turnBegan();

  /** True when it is time to call {@link yield}. */
  get spent(): boolean {
    return performance.now() - this.#began >= TURN_MS;
  }

  /** Ends the turn; resolves at the beginning of the next. */
  async yield(): Promise<void> {
    await scheduler.turn();
    this.#began = turnBegan();
  }
}
