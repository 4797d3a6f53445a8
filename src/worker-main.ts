/** The process edge of a worker: it is started by its primary, which tells it what to do. */

import { runWorker } from "./compose/workers/worker.ts";

runWorker();
