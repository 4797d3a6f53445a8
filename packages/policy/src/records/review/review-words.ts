/** The parts of a review in words, for pages and tables. */

import type { StatementName } from "../../model/decision.ts";
import type { Via } from "../../model/policy.ts";
import type { ReviewedAcceptance, ReviewedStep } from "./review.ts";

const MS_PER_SECOND = 1_000;
const NEVER = "never";

/** Operations of steps, in words; `{x}` stands for a value. */
const STEPS: ReadonlyMap<string, string> = new Map([
  ["updatePolicy", "writes policy {policyId}"],
  ["createPolicy", "creates policy {body.id}"],
  ["attachPolicyToUser", "attaches policy {policyId} to user {userId}"],
  ["attachPolicyToGroup", "attaches policy {policyId} to group {groupId}"],
  ["createGroup", "creates group {body.id}"],
  ["addGroupMembership", "adds user {userId} to group {groupId}"],
  ["setGroupACL", "gives group {groupId} the access list Admin"],
  ["createCredentials", "creates an access key of user {userId} and acts as that user"],
  ["createUserExternalPrincipal", "creates an external principal of user {userId} and acts as that user"],
  ["detachPolicyFromUser", "detaches policy {policyId} from user {userId}"],
  ["detachPolicyFromGroup", "detaches policy {policyId} from group {groupId}"],
  ["deleteGroupMembership", "removes user {userId} from group {groupId}"],
  ["deletePolicy", "deletes policy {policyId}"],
]);

/** A step as a sentence without its end. */
export function stepWords({ operation, as, values }: ReviewedStep): string {
  const words = (STEPS.get(operation) ?? operation).replace(
    /\{([^}]+)\}/g,
    (_, name: string) => values[name] ?? "",
  );
  return `${as} ${words}`;
}

/** The findings that a policy accepts for a statement: those of the statement's sid, and those of the whole policy. */
export function acceptedOf(
  accepted: readonly ReviewedAcceptance[],
  { policy, sid }: StatementName,
): readonly ReviewedAcceptance[] {
  return accepted.filter((one) => one.policy === policy && (one.sid === undefined || one.sid === sid));
}

/** `accepts self-escalation, wide-allow`; "" for nothing. The reasons stand in a list of their own. */
export function acceptedWords(accepted: readonly ReviewedAcceptance[]): string {
  const rules = [...new Set(accepted.map(({ rule }) => rule))];
  return rules.length === 0 ? "" : `accepts ${rules.join(", ")}`;
}

/** The ways in which a policy reaches somebody: `group A, directly`. */
export function viaWords(via: readonly Via[]): string {
  return via.map((way) => ("group" in way ? `group ${way.group}` : "directly")).join(", ");
}

/** A day: `2026-11-22`; `never` where there is none. */
export function dayOf(seconds: number | undefined): string {
  return seconds === undefined ? NEVER : new Date(seconds * MS_PER_SECOND).toISOString().slice(0, 10);
}
