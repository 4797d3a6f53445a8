/**
 * Limits the work that is let in at once (spec/security §5.3): a bounded number of waiting requests, then 503; bulk
 * work at most so many at once and never more than half of the places, so that hot paths are the last to be
 * refused. Callers take turns with bulk work, so that one who sends a lot of it holds up itself.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Options of {@link Admission}. */
interface AdmissionOptions {
  /** Requests that may be unanswered at once. */
  readonly queue: number;
  /** Bulk tasks that run at once. */
  readonly bulkConcurrency: number;
}

/** Numbers that show what goes on. */
interface AdmissionGauges {
  /** Requests let in and not answered. */
  inFlight: number;
  /** Those of them that wait for their turn. */
  queueLength: number;
}

/** The order in which requests are served under overload. */
export type Priority = "hot" | "bulk";

/** The gate. Bulk work is fair between callers: whoever runs least is next. */
export class Admission {
  /** Requests let in and not answered. */
  #inside = 0;
  readonly #gauges: AdmissionGauges;
  #running = 0;
  /** Running bulk tasks of each caller that has some. */
  readonly #runningOf = new Map<string, number>();
  readonly #queue: number;
  readonly #bulkQueue: number;
  readonly #bulkConcurrency: number;
  /** Of each caller, the bulk tasks that wait; whoever was last given a place is last. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #waitingInAll = 0;

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
   * Returns whether one more bulk task of a caller may wait for its turn: of the places that other callers leave, one
   * caller takes at most half.
   */
  mayWait(caller: string): boolean {
    const own = this.#waiting.get(caller)?.size ?? 0;
    return 2 * own < this.#bulkQueue - (this.#waitingInAll - own);
  }

  /**
   * Waits for a place among the running bulk tasks; call {@link release} when done.
   * @param caller name of the caller: those who run fewest tasks are next, and of several the one that waits longest
   * @param signal aborted when the caller has gone: the wait ends with its reason.
   */
  async acquire(caller: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running < this.#bulkConcurrency) {
      this.#running++;
      this.#count(caller, 1);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admitted = () => {
        signal?.removeEventListener("abort", gone);
        resolve();
      };
      const gone = () => {
        this.#noLongerWaits(caller, admitted);
        reject(signal?.reason);
      };
      const own = this.#waiting.get(caller) ?? new Set();
      this.#waiting.set(caller, own.add(admitted));
      this.#waitingInAll++;
      this.#gauges.queueLength++;
      signal?.addEventListener("abort", gone, { once: true });
    });
  }

  /** Gives the place of a caller's bulk task to the next. */
  release(caller: string): void {
    this.#count(caller, -1);
    const next = this.#next();
    if (next === undefined) {
      this.#running--;
      return;
    }
    const own = this.#waiting.get(next) as Set<() => void>;
    const admitted = own.values().next().value as () => void;
    this.#noLongerWaits(next, admitted);
    if (own.size > 0) {
      this.#waiting.delete(next);
      this.#waiting.set(next, own);
    }
    this.#count(next, 1);
    admitted();
  }

  /** The caller that runs fewest tasks among those who wait. */
  #next(): string | undefined {
    let next: string | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const caller of this.#waiting.keys()) {
      const running = this.#runningOf.get(caller) ?? 0;
      if (running >= fewest) continue;
      fewest = running;
      next = caller;
    }
    return next;
  }

  #noLongerWaits(caller: string, admitted: () => void): void {
    const own = this.#waiting.get(caller);
    if (own === undefined || !own.delete(admitted)) return;
    if (own.size === 0) this.#waiting.delete(caller);
    this.#waitingInAll--;
    this.#gauges.queueLength--;
  }

  #count(caller: string, by: 1 | -1): void {
    const running = (this.#runningOf.get(caller) ?? 0) + by;
    if (running === 0) this.#runningOf.delete(caller);
    else this.#runningOf.set(caller, running);
  }
}

/** The refusal of a full house. */
export function overloaded(): AuthorizerError {
  return new AuthorizerError("unavailable", "too many requests at once, try again", { retryAfterSeconds: 1 });
}
