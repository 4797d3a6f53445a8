/** `authorizer.limits` as the listeners take them. */

import type { DecisionLimits } from "../api/decisions/limits.ts";
import type { ConfigValues } from "../config/table.ts";

/** The limits of the listeners. */
export function httpLimits(values: ConfigValues): DecisionLimits {
  return {
    queue: values["authorizer.limits.queue"],
    bodyBytes: values["authorizer.limits.body_bytes"],
    bulkBodyBytes: values["authorizer.limits.bulk_body_bytes"],
    bulkConcurrency: values["authorizer.limits.bulk_concurrency"],
    batch: values["authorizer.limits.batch"],
    headersBytes: values["authorizer.limits.headers_bytes"],
    requestTimeoutMs: values["authorizer.limits.request_timeout"],
    arnBytes: values["authorizer.limits.arn_bytes"],
    actionBytes: values["authorizer.limits.action_bytes"],
    policyBytes: values["authorizer.limits.policy_bytes"],
    treeNodes: values["authorizer.limits.tree_nodes"],
    jsonDepth: values["authorizer.limits.json_depth"],
  };
}
