/** Orders writers within the process: ordinary ones run side by side, a batch runs alone. */

/** A readers-writer lock that lets a waiting batch in before writers that came after it. */
export class WriteGate {
  #tail: Promise<unknown> = Promise.resolve();
  #closed = 0;
  readonly #running = new Set<Promise<unknown>>();

  /** Runs `work` beside other ordinary writers, after batches that are under way or waiting. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed > 0) await this.#tail;
    const result = work();
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(settled);
    try {
      return await result;
    } finally {
      this.#running.delete(settled);
    }
  }

  /** Runs `work` alone: after the writers under way, and one batch after the other. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    this.#closed += 1;
    const before = this.#tail;
    const result = (async () => {
      await before;
      await Promise.all(this.#running);
      return work();
    })().finally(() => {
      this.#closed -= 1;
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
