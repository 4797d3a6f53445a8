/** The thread that builds the manual: it takes a few hundred milliseconds, for which no request has to wait. */

import { parentPort } from "node:worker_threads";
import type { ThreadMessage } from "../threads/bounded-thread.ts";
import { buildManual, type Manual, type ManualSources } from "./manual.ts";

/** The result. Whoever starts the thread imports it, so that each package that has the one has the other. */
export type BuiltManual = Manual;

parentPort?.on("message", (sources: ManualSources) => {
  send("began");
  send({ result: buildManual(sources) });
});

function send(message: ThreadMessage<BuiltManual>): void {
  parentPort?.postMessage(message);
}
