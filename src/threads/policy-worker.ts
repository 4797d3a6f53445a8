/** The thread of {@link PolicyThread}: does one job after the other. */

import { parentPort, workerData } from "node:worker_threads";
import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import type { ThreadMessage } from "./bounded-thread.ts";
import { type PolicyJob, type PolicyResults, runPolicyJob } from "./policy-jobs.ts";

/** The result of a job. Whoever starts the thread imports it, so that each package that has the one has the other. */
export type PolicyResult = PolicyResults[PolicyJob["kind"]];

const vocabulary = workerData as Vocabulary;

parentPort?.on("message", (job: PolicyJob) => {
  send("began");
  send({ result: runPolicyJob(job, vocabulary) });
});

function send(message: ThreadMessage<PolicyResult>): void {
  parentPort?.postMessage(message);
}
