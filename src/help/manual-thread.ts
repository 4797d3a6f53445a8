/** The thread that builds the manual: it takes a few hundred milliseconds, for which no request has to wait. */

import { parentPort, workerData } from "node:worker_threads";
import { buildManual, type ManualSources } from "./manual.ts";

parentPort?.postMessage(buildManual(workerData as ManualSources));
