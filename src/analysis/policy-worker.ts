/** The thread of {@link PolicyThread}: does one job after the other. */

import { parentPort, workerData } from "node:worker_threads";
import type { Vocabulary } from "../model/policy-warnings.ts";
import type { ThreadMessage } from "./bounded-thread.ts";
import { type PolicyJob, type PolicyResults, runPolicyJob } from "./policy-jobs.ts";

const vocabulary = workerData as Vocabulary;

parentPort?.on("message", (job: PolicyJob) => {
  send("began");
  send({ result: runPolicyJob(job, vocabulary) });
});

function send(message: ThreadMessage<PolicyResults[PolicyJob["kind"]]>): void {
  parentPort?.postMessage(message);
}
