/**
 * Long work that waits for the store in between, in turns: however many searches run, other requests wait no longer
 * than for one turn of one of them (security.md §5.3).
 */

/** Milliseconds that a turn may take before others run. */
const TURN_MS = 4;

/** Gives one turn of the event loop after the other, to one search at a time. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #scheduled = false;

  /** Resolves at the beginning of the next free turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

/** The pace of one search. */
export class Pace {
  readonly #turns: Turns;
  readonly #signal: AbortSignal | undefined;
  #began = Number.NEGATIVE_INFINITY;

  /** @param signal aborted when nobody waits for the search any more */
  constructor(turns: Turns, signal?: AbortSignal) {
    this.#turns = turns;
    this.#signal = signal;
  }

  /** What to wait for before going on: nothing while the turn lasts. The wait ends with the signal's reason. */
  readonly pause = (): Promise<void> | undefined => {
    if (performance.now() - this.#began < TURN_MS) return undefined;
    return this.#turns.next().then(() => {
      this.#signal?.throwIfAborted();
      this.#began = performance.now();
    });
  };
}
