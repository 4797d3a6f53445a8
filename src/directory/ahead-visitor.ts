/** Receiver of what is read ahead. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";

/** Called with one thing after the other, each of which it waits for. */
export interface AheadVisitor {
  /** The policies that are attached to a user or to a group. */
  attached(to: "user" | "group", policies: readonly StoredPolicy[]): Promise<void>;
  /** Some policies, whoever has them. */
  policies(some: readonly StoredPolicy[]): Promise<void>;
}
