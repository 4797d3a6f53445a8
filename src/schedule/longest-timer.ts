/** The bound of timers. */

/** Longest time of a timer in milliseconds: one that is to ring later rings at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
