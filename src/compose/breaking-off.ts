/** Long work that is broken off where the service ends. */

/** True for what such work throws once its signal has ended it: that is no failure. */
export function isBreakingOff(error: unknown, ending: AbortSignal | undefined): boolean {
  return ending?.aborted === true && error === ending.reason;
}
