/** The clocks of a node. */

import { setTimeout as sleep } from "node:timers/promises";

/** Time, so that tests can do without. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  delay(ms: number): Promise<void>;
  /** Calls `ring` once after some milliseconds; returns what prevents that. Absent where calls always end. */
  alarm?(ms: number, ring: () => void): () => void;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  delay: async (ms) => {
    await sleep(ms, undefined, { ref: false });
  },
  alarm: (ms, ring) => {
    const timer = setTimeout(ring, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** A moment by both clocks of the machine, in milliseconds. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}
