/** The thread of {@link GrantComparisons}: compares one grant after the other. */

import { parentPort, workerData } from "node:worker_threads";
import { type Beyond, beyondHeld, type Grant } from "./grant.ts";
import type { WideningOptions } from "./widening.ts";

/** Messages of the thread. The time limit starts with "began"; before that, the thread loads its program. */
export type Told = "began" | { readonly beyond: Beyond | undefined };

const options = workerData as Pick<WideningOptions, "partition" | "vocabulary">;

parentPort?.on("message", (grant: Grant) => {
  tell("began");
  tell({ beyond: beyondHeld(grant, options) });
});

function tell(what: Told): void {
  parentPort?.postMessage(what);
}
