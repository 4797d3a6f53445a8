/** The thread of {@link GrantComparisons}: compares one grant after the other. */

import { parentPort, workerData } from "node:worker_threads";
import { type ExcessRight, excessRight, type Grant } from "@svc-authorizer/policy/analysis/compare/grant.ts";
import type { WideningOptions } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import type { ThreadMessage } from "./bounded-thread.ts";

/** The result of a job. Whoever starts the thread imports it, so that each package that has the one has the other. */
export type GrantResult = ExcessRight | undefined;

const options = workerData as Pick<WideningOptions, "partition" | "vocabulary">;

parentPort?.on("message", (grant: Grant) => {
  send("began");
  send({ result: excessRight(grant, options) });
});

function send(message: ThreadMessage<GrantResult>): void {
  parentPort?.postMessage(message);
}
