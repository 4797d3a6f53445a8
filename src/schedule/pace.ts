/**
 * Long asynchronous work (it waits for the store in between) in turns: however much of it runs, other requests wait no
 * longer than for one turn (spec/security §5.3).
 */

import { scheduler as processScheduler, type Scheduler, TURN_MS } from "./scheduler.ts";
import { turnBegan } from "./turn-beginning.ts";

/** A promise to await before long work goes on; undefined while its turn lasts. */
export type Pause = () => Promise<void> | undefined;

/** The pace of one piece of work. */
export class Pace {
  readonly #scheduler: Scheduler;
  readonly #signal: AbortSignal | undefined;
  #began = Number.NEGATIVE_INFINITY;

  /** @param signal aborted when the caller is gone */
  constructor(signal?: AbortSignal, scheduler: Scheduler = processScheduler) {
    this.#scheduler = scheduler;
    this.#signal = signal;
  }

  /** A promise to await before going on; undefined while the turn lasts. It rejects with the signal's reason. */
  readonly pause: Pause = () => {
    if (performance.now() - this.#began < TURN_MS) return undefined;
    return this.#scheduler.turn().then(() => {
      this.#signal?.throwIfAborted();
      this.#began = turnBegan();
    });
  };
}
