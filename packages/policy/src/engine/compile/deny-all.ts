/** The policies of a user with more policies than allowed (spec/security §5.3). */

import { type CompiledPolicies, compile } from "./compile.ts";

/** Returns policies that deny everything. */
export function denyAllPolicies(partition: string): CompiledPolicies {
  // A statement that cannot be evaluated denies every permission and closes the gate of lists.
  const statement = [{ effect: "deny", action: ["*"], resource: "" }];
  return compile([{ name: "more policies than allowed", statement }], { partition, evaluator: "extended" });
}
