/** The thread of {@link GrantComparisons}: compares one grant after the other. */

import { parentPort, workerData } from "node:worker_threads";
import { type ExcessRight, excessRight, type Grant } from "./grant.ts";
import type { WideningOptions } from "./widening.ts";

/** Messages of the thread. The time limit starts with "began"; before that, the thread loads its program. */
export type WorkerMessage = "began" | { readonly excess: ExcessRight | undefined };

const options = workerData as Pick<WideningOptions, "partition" | "vocabulary">;

parentPort?.on("message", (grant: Grant) => {
  send("began");
  send({ excess: excessRight(grant, options) });
});

function send(what: WorkerMessage): void {
  parentPort?.postMessage(what);
}
