/** Those who hear of commits. */

import type { CommitListener, CommittedChange } from "./port.ts";

/** Tells commits to listeners. */
export class CommitListeners {
  readonly #listeners = new Set<CommitListener>();

  /** Adds a listener; returns what removes it. */
  subscribe(listener: CommitListener): () => void {
    const own: CommitListener = (change) => listener(change);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls every listener, also after one has thrown; then throws the first failure. */
  notify(change: CommittedChange): void {
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
