/** Pauses of loops over data in bulk, also of loops that run as several concurrent lanes (spec/security §5.3). */

import type { Pause } from "./pace.ts";
import { Turns } from "./turns.ts";

/**
 * Returns a function to call in each round of a long loop: `await pause()`. It returns undefined while the turn lasts,
 * then a promise of the next turn, which all lanes of the loop share.
 */
export function bulkPause(): Pause {
  const turns = new Turns();
  // Shared by all lanes, or each of them would take a turn of its own before others get one.
  let waiting: Promise<void> | undefined;
  return () => {
    if (waiting === undefined && turns.spent) {
      waiting = turns.yield().then(() => {
        waiting = undefined;
      });
    }
    return waiting;
  };
}
