/** Ports of applying data sets to a running service; `datasets` implements them. */

import type { ApplicationRequest, ReadDocuments } from "../../../datasets/apply/applications.ts";
import type { AppliedPlan } from "../../../datasets/apply/applied-plan.ts";

/** Port: reads, plans and checks documents. */
export interface Applications {
  /** Reads documents; throws "invalid_request" with every problem of their form and their names. */
  read(documents: readonly unknown[]): Promise<ReadDocuments>;
  /** Plans an application; the plan may not pass. */
  plan(request: ApplicationRequest): Promise<AppliedPlan>;
  /** Throws "invalid_request" or "conflict" with every reason for which the plan cannot be made true. */
  check(request: ApplicationRequest, plan: AppliedPlan): Promise<void>;
}
