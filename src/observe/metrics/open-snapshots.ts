/** The snapshots that are open: one that stays open keeps a local store from using the space of old pages again. */

/** Time after which an open snapshot is counted as held for long, in milliseconds. */
const LONG_MS = 30_000;

/** Counts snapshots that are held for long (spec/journal §7). */
export class OpenSnapshots {
  /** Monotonic milliseconds of the opening. */
  readonly #open = new Map<object, number>();

  /** Notes that a snapshot was opened. */
  opened(snapshot: object): void {
    this.#open.set(snapshot, performance.now());
  }

  /** Notes that a snapshot was released. */
  released(snapshot: object): void {
    this.#open.delete(snapshot);
  }

  /** Number of snapshots that have been open for more than 30 seconds. */
  long(now = performance.now()): number {
    let count = 0;
    for (const since of this.#open.values()) if (now - since > LONG_MS) count++;
    return count;
  }
}
