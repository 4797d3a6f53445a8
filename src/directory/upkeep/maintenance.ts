/** Background work of the directory: sweeps, dropping of expired claims, sealing of secrets with a new key. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Store } from "../../store/port.ts";
import type { Resealing } from "./reseal.ts";
import { dropExpiredClaims, dropExpiredKeys, dropExpiredSessions, nextSweeps, sweepStep } from "./sweep.ts";
import { NotHolder } from "./under-lease.ts";

const RETRY_MS = 1_000;
/** Until this process looks again whether there is work that the one with the lease did not do. */
const HELD_ELSEWHERE_MS = 10_000;
/** Deleted entities that are swept at once. */
const SWEEPS = 16;
/** Longest time for which closing lets work continue; the rest is done after the next start. */
const CLOSE_MS = 2_000;

/** Parts of the background work. */
interface MaintenanceParts {
  readonly store: Store;
  readonly resealing: Resealing;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Runs background work, one piece at a time, whenever it is woken. */
export class Maintenance {
  readonly #parts: MaintenanceParts;
  #running: Promise<void> | undefined;
  #woken = false;
  /** Works during which it rests. */
  #rests = 0;
  #stopAt = Number.POSITIVE_INFINITY;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
  }

  /** Starts the work, or makes work under way look again when it ends. */
  wake(): void {
    this.#woken = true;
    if (this.#running !== undefined || this.#rests > 0 || this.#stopAt !== Number.POSITIVE_INFINITY) return;
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
      if (this.#woken) this.wake();
    });
  }

  /** Runs `work` while nothing is swept or dropped by this process: it would be in the way of work that reads everything. */
  async resting<T>(work: () => Promise<T>): Promise<T> {
    this.#rests += 1;
    try {
      await this.#running;
      return await work();
    } finally {
      this.#rests -= 1;
      this.wake();
    }
  }

  /** Resolves when nothing is under way; work goes on for a bounded time. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.#stopAt = performance.now() + CLOSE_MS;
    await this.#running;
  }

  async #work(): Promise<void> {
    // Lets the write that woke it answer first.
    await Promise.resolve();
    while (this.#woken && this.#rests === 0) {
      this.#woken = false;
      try {
        while (!(await this.#step())) {
          if (performance.now() > this.#stopAt) return;
          if (this.#rests === 0) continue;
          this.#woken = true;
          return;
        }
      } catch (error) {
        // Nobody waits for this work, and the store's failure shows in health(); it is tried again.
        const ms = error instanceof NotHolder ? HELD_ELSEWHERE_MS : RETRY_MS;
        this.#retry = setTimeout(() => this.wake(), ms);
        this.#retry.unref();
        return;
      }
    }
  }

  /** Some commits of work; true when there is none left. */
  async #step(): Promise<boolean> {
    const { store, resealing, now } = this.#parts;
    try {
      const next = await nextSweeps(store, SWEEPS);
      if (next.length > 0) {
        // Side by side: stores make one disk write of commits that wait together.
        const steps = await Promise.allSettled(next.map((id) => sweepStep(store, id)));
        const failure = steps.find(
          (step) => step.status === "rejected" && !isErrorCode(step.reason, "conflict"),
        );
        if (failure?.status === "rejected") throw failure.reason;
        return false;
      }
      return (
        (await dropExpiredClaims(store, now())) &&
        (await dropExpiredKeys(store, now())) &&
        (await dropExpiredSessions(store, now())) &&
        (await resealing.step())
      );
    } catch (error) {
      // Somebody wrote what was to be swept: look again.
      if (isErrorCode(error, "conflict")) return false;
      throw error;
    }
  }
}
