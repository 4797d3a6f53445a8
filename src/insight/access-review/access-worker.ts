/** The thread that learns from use: does one job after the other. */

import { parentPort, workerData } from "node:worker_threads";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { aclPolicyName, aclStatements } from "../../bootstrap/acl-policies.ts";
import { openEndpoints } from "../../request-map/open-endpoints.ts";
import type { ThreadMessage } from "../../threads/bounded-thread.ts";
import type { AccessJob, AccessResult, AccessThreadData } from "./access-jobs.ts";
import type { DirectoryImage } from "./directory-image.ts";
import { type ReviewVocabulary, reviewOf } from "./review/review-job.ts";
import { type SuggestSubject, suggestAnswer } from "./suggest/suggest-job.ts";
import type { KnownUse } from "./use-of.ts";

const { partition } = workerData as AccessThreadData;
const catalog = await openCatalog({ partition });
const vocabulary: ReviewVocabulary = {
  partition,
  types: [...catalog.resourceTypes.values()],
  requirement: openEndpoints(catalog).requirement,
  aclPolicyName,
  aclStatements: aclStatements("Admin", partition),
};

parentPort?.on("message", (job: AccessJob) => {
  send("began");
  send({ result: resultOf(job) });
});

function resultOf(job: AccessJob): AccessResult {
  if (job.kind === "suggest") return suggestAnswer(job, parsed<SuggestSubject>(job.subject), partition);
  const image = parsed<DirectoryImage>(job.image);
  const use = parsed<KnownUse>(job.use);
  return { body: JSON.stringify(reviewOf(job, image, use, vocabulary)) };
}

function parsed<T>(bytes: Uint8Array): T {
  return parseJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as T;
}

function send(message: ThreadMessage<AccessResult>): void {
  parentPort?.postMessage(message);
}
