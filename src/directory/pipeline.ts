/** Runs many asynchronous steps with a bounded number under way, without starving the event loop. */

import { bulkPause } from "../schedule/bulk-pause.ts";

/**
 * Runs `step` for each item, at most `width` at a time, in order of start. After the first failure nothing more is
 * started; what is under way is waited for, then the failure is thrown.
 */
export async function pipeline<T>(
  items: Iterable<T>,
  width: number,
  step: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const pause = bulkPause();
  let failed = false;
  const lane = async (): Promise<void> => {
    while (!failed) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await step(next.value);
        await pause();
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
}
