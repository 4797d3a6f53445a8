/** Polls that many callers share: one runs, and at most one more waits for its end. */

import { setTimeout as delay } from "node:timers/promises";

/** Least time between the beginnings of two polls: callers cannot make a node ask its engine all the time. */
const SPACING_MS = 10;

/** Runs a poll for all who ask at about the same time. */
export class SharedPolls {
  readonly #run: () => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** Resolves when a poll has ended that was begun after the call; rejects as the poll does. */
  poll(): Promise<void> {
    if (this.#next === undefined) {
      const next = this.#last.then(() => this.#start());
      this.#next = next;
      this.#last = next.catch(() => undefined);
    }
    return this.#next;
  }

  async #start(): Promise<void> {
    const wait = this.#startedAt + SPACING_MS - performance.now();
    if (wait > 0) await delay(wait);
    this.#next = undefined;
    this.#startedAt = performance.now();
    await this.#run();
  }
}
