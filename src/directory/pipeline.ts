/** Runs many asynchronous steps with a bounded number under way, without starving the event loop. */

import { setImmediate as nextTurn } from "node:timers/promises";

const TURN_MS = 8;
/** A loop that runs longer than this makes garbage in bulk, which the runtime alone would let pile up. */
const COLLECT_MS = 200;

/**
 * Lets other work of the process in once `TURN_MS` have passed; `await breathe()` in long loops. Where the launcher
 * has exposed the garbage collector, a very long loop also gives memory back now and then.
 */
export function createBreather(): () => Promise<void> | undefined {
  let since = performance.now();
  let collected = since;
  // Shared by all who wait, or each of them would take a turn of its own before others get one.
  let waiting: Promise<void> | undefined;
  return () => {
    if (waiting === undefined && performance.now() - since >= TURN_MS) {
      waiting = nextTurn().then(() => {
        waiting = undefined;
        if (performance.now() - collected >= COLLECT_MS) {
          globalThis.gc?.();
          collected = performance.now();
        }
        since = performance.now();
      });
    }
    return waiting;
  };
}

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
  const breathe = createBreather();
  let failed = false;
  const lane = async (): Promise<void> => {
    while (!failed) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await step(next.value);
        await breathe();
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
}
