/** Moments, whose age counts also the time for which the machine slept: the monotonic clock stands still meanwhile. */

/** A moment in milliseconds of both clocks. */
interface Moment {
  /** Of `performance.now()`. */
  readonly monotonic: number;
  /** Unix time. */
  readonly wall: number;
}

/** Before all others. */
export const NEVER: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/** Returns the moment so many milliseconds ago. */
export function momentAgo(ageMs: number): Moment {
  return { monotonic: performance.now() - ageMs, wall: Date.now() - ageMs };
}

/** Returns the milliseconds since a moment, by the clock for which they are more. */
export function ageOf({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
