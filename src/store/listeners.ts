/** Those who hear of commits, or of what commits change. */

/** Tells changes to listeners. */
export class Listeners<T> {
  readonly #listeners = new Set<(change: T) => void>();

  /** Adds a listener; returns what removes it. */
  subscribe(listener: (change: T) => void): () => void {
    const own = (change: T): void => listener(change);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls every listener, also after one has thrown; then throws the first failure. */
  notify(change: T): void {
    const failures: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
