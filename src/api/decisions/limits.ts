/** Limits of the decision API (`authorizer.limits`, spec/decision-api §1). */

import type { HttpLimits } from "../../http/limits.ts";

/** Sizes in bytes of UTF-8. */
export interface DecisionLimits extends HttpLimits {
  /** Largest body of `/filter` and `/simulate`. */
  readonly bulkBodyBytes: number;
  /** Most elements of `/evaluations`. */
  readonly batch: number;
  readonly arnBytes: number;
  readonly actionBytes: number;
  /** Longest text of a policy that a request brings. */
  readonly policyBytes: number;
  /** Most policies, and most statements of each, that a request brings. */
  readonly policiesPerUser: number;
  readonly statementsPerPolicy: number;
  /** Most nodes of a tree of required permissions. */
  readonly treeNodes: number;
}
