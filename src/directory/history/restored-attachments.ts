/** The attachments of policies in the plan of a restore (spec/journal §4). */

import type { BatchOperation, GroupState } from "../batch.ts";
import type { PlanPart, RestoreScope } from "./restore-plan.ts";

/** Attaches what was attached to a user or a group, and detaches what was not. */
export function planAttachments(
  { pastNames }: RestoreScope,
  part: PlanPart,
  [kind, name]: readonly ["user" | "group", string],
  then: Pick<GroupState, "policies">,
  now: Pick<GroupState, "policies"> | undefined,
): void {
  const where = `to ${kind} ${name}`;
  const of = (policy: string) =>
    kind === "user" ? ({ username: name, policy } as const) : ({ group: name, policy } as const);
  const operation = (what: "attach_to" | "detach_from", policy: string) =>
    ({ op: `${what}_${kind}`, ...of(policy) }) as BatchOperation;
  for (const [policy, { managed }] of then.policies) {
    // One that the service made for its own users is not brought back.
    if (now?.policies.has(policy) === true || !pastNames.policy.has(policy)) continue;
    part.put("attachment", `${policy} ${where}`, undefined, operation("attach_to", policy), managed);
  }
  for (const policy of now?.policies.keys() ?? []) {
    if (then.policies.has(policy) || !pastNames.policy.has(policy)) continue;
    part.remove("attachment", `${policy} ${where}`, operation("detach_from", policy));
  }
}
