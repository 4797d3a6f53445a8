/** A clock for what happens tens of thousands of times a second and is told in seconds. */

/** Longest time, in milliseconds, for which one reading serves while the event loop turns. */
const SERVES_MS = 100;

/**
 * Returns a clock in Unix milliseconds that reads the real one at most ten times a second, and is ahead of it rather than
 * behind. An idle one needs no timer.
 */
export function coarseClock(): () => number {
  let time = 0;
  let serves = false;
  const end = (): void => {
    serves = false;
  };
  return () => {
    if (!serves) {
      time = Date.now() + SERVES_MS;
      serves = true;
      setTimeout(end, SERVES_MS).unref();
    }
    return time;
  };
}
