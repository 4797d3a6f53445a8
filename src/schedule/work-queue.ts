/** A queue of long work, a few pieces at a time: so many at once would only need more memory together. */

/** Runs tasks in the order in which they come. */
export class WorkQueue {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param most tasks under way at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a task when it is its turn; settles as the task does. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      // Whoever comes next takes the place over.
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
