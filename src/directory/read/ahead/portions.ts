/** Portions of what is read ahead. Whoever asks meanwhile comes first, so each is short and has a rest before it. */

import { setTimeout as delay } from "node:timers/promises";

/** About twice as long as a portion takes. */
const REST_MS = 8;

/** Waits for the next portion; false if there is to be none. */
export async function nextPortion(signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  await delay(REST_MS);
  return !signal.aborted;
}
