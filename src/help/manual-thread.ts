/** The thread that builds the manual: it takes a few hundred milliseconds, for which no request has to wait. */

import { parentPort, workerData } from "node:worker_threads";
import { buildManual, type Manual, type ManualSources } from "./manual.ts";

/** The message of the thread. Whoever starts the thread imports it, so that each package that has the one has the other. */
export type ManualMessage = Manual;

const message: ManualMessage = buildManual(workerData as ManualSources);
parentPort?.postMessage(message);
