/** Entities of AuthZEN requests (spec/decision-api §2). */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";

/** AuthZEN entities as parsed at the edge; property bags are optional. */
export interface AuthzenSubject {
  readonly type: string;
  readonly id: string;
  readonly properties?: Properties;
}
export interface AuthzenAction {
  readonly name: string;
  readonly properties?: Properties;
}
export interface AuthzenResource {
  readonly type: string;
  readonly id: string;
  readonly properties?: Properties;
}
