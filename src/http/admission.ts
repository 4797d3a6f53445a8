/**
 * Limits the work that is let in at once (security.md §5.3): a bounded number of waiting requests, then 503; bulk
 * work at most so many at once and never more than half of the places, so that hot paths are the last to be
 * refused.
 */

import { AuthorizerError } from "../errors.ts";

/** Options of {@link Admission}. */
export interface AdmissionOptions {
  /** Requests that may be unanswered at once. */
  readonly queue: number;
  /** Bulk tasks that run at once. */
  readonly bulkConcurrency: number;
}

/** Numbers that show what goes on. */
export interface AdmissionGauges {
  /** Requests let in and not answered. */
  inFlight: number;
  /** Those of them that wait for their turn. */
  queueLength: number;
}

/** The order in which requests are served under overload. */
export type Priority = "hot" | "bulk";

/** The gate. Not fair between callers: first come, first served. */
export class Admission {
  /** Requests let in and not answered. */
  #inside = 0;
  readonly #gauges: AdmissionGauges;
  #running = 0;
  readonly #queue: number;
  readonly #bulkQueue: number;
  readonly #bulkConcurrency: number;
  readonly #waiting: Set<() => void> = new Set();

  /** @param gauges numbers to keep up to date, for metrics. */
  constructor(options: AdmissionOptions, gauges: AdmissionGauges = { inFlight: 0, queueLength: 0 }) {
    this.#gauges = gauges;
    this.#queue = options.queue;
    this.#bulkConcurrency = options.bulkConcurrency;
    this.#bulkQueue = Math.max(1, Math.floor(options.queue / 2));
  }

  /** Returns whether {@link enter} would let a request in now. */
  hasPlace(priority: Priority): boolean {
    return this.#inside < (priority === "hot" ? this.#queue : this.#bulkQueue);
  }

  /** Lets a request in; false when there is no place. Each true needs a {@link leave}. */
  enter(priority: Priority): boolean {
    if (!this.hasPlace(priority)) return false;
    this.#inside++;
    this.#gauges.inFlight++;
    return true;
  }

  leave(): void {
    this.#inside--;
    this.#gauges.inFlight--;
  }

  /**
   * Waits for a place among the running bulk tasks; pass the result on to {@link release} when done.
   * @param signal aborted when the caller has gone: the wait ends with its reason.
   */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running < this.#bulkConcurrency) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admitted = () => {
        this.#gauges.queueLength--;
        signal?.removeEventListener("abort", gone);
        resolve();
      };
      const gone = () => {
        this.#waiting.delete(admitted);
        this.#gauges.queueLength--;
        reject(signal?.reason);
      };
      this.#waiting.add(admitted);
      this.#gauges.queueLength++;
      signal?.addEventListener("abort", gone, { once: true });
    });
  }

  /** Gives the place of a bulk task to the one that waits longest. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#running--;
  }
}

/** The refusal of a full house. */
export function overloaded(): AuthorizerError {
  return new AuthorizerError("unavailable", "too many requests at once, try again", { retryAfterSeconds: 1 });
}
