/** Findings that somebody accepted, with a reason, in the member `accept` of a policy. */

import type { Acceptance } from "../../model/policy.ts";
import type { FoundPolicy } from "../files/policy-documents.ts";
import { isAcceptable, type LintRule, lintRuleNamed } from "./lint-rules.ts";

/** A finding as acceptance sees it. */
interface Judged {
  readonly rule: LintRule;
  readonly pointer: string;
}

/** A problem of an entry. */
interface AcceptanceProblem {
  readonly rule: "acceptance" | "unused-acceptance";
  readonly pointer: string;
  readonly message: string;
}

/** The findings of one policy that are left, those that were accepted, and the problems of the entries. */
interface Accepted<T> {
  readonly left: readonly T[];
  readonly accepted: readonly (T & { readonly reason: string })[];
  readonly problems: readonly AcceptanceProblem[];
}

const LONGEST_REASON = 1_000;

function faultOf({ rule, sid, reason }: Acceptance, policy: FoundPolicy): [string, string] | undefined {
  const known = lintRuleNamed(rule);
  if (known === undefined) return ["rule", `there is no rule ${rule}: docs/lint-rules.md lists them`];
  if (!isAcceptable(known)) return ["rule", `${rule} cannot be accepted: the service refuses the policy`];
  if (reason.trim() === "") return ["reason", "must say why this is as it should be"];
  if (reason.length > LONGEST_REASON) return ["reason", `must have at most ${LONGEST_REASON} characters`];
  if (sid !== undefined && !policy.statement.some((statement) => statement.sid === sid))
    return ["sid", `no statement of this policy has the sid ${sid}`];
  return undefined;
}

/** The statement that a pointer lies in. */
function statementOf(pointer: string): number | undefined {
  const index = /\/statement\/(\d+)/.exec(pointer)?.[1];
  return index === undefined ? undefined : Number(index);
}

/** Applies the entries of a policy to its findings. */
export function applyAcceptances<T extends Judged>(policy: FoundPolicy, findings: readonly T[]): Accepted<T> {
  const entries = policy.accept ?? [];
  const problems: AcceptanceProblem[] = [];
  const sound: { readonly entry: Acceptance; readonly pointer: string; used: boolean }[] = [];
  for (const [index, entry] of entries.entries()) {
    const pointer = `${policy.pointer}/accept/${index}`;
    const fault = faultOf(entry, policy);
    if (fault === undefined) sound.push({ entry, pointer, used: false });
    else problems.push({ rule: "acceptance", pointer: `${pointer}/${fault[0]}`, message: fault[1] });
  }
  const left: T[] = [];
  const accepted: (T & { readonly reason: string })[] = [];
  for (const finding of findings) {
    const index = statementOf(finding.pointer.slice(policy.pointer.length));
    const sid = index === undefined ? undefined : policy.statement[index]?.sid;
    const found = sound.filter(
      ({ entry }) => entry.rule === finding.rule && (entry.sid === undefined || entry.sid === sid),
    );
    for (const one of found) one.used = true;
    const [first] = found;
    if (first === undefined) left.push(finding);
    else accepted.push({ ...finding, reason: first.entry.reason });
  }
  for (const { entry, pointer, used } of sound) {
    if (used) continue;
    const message = `accepts nothing: there is no finding of ${entry.rule}: remove the entry`;
    problems.push({ rule: "unused-acceptance", pointer, message });
  }
  return { left, accepted, problems };
}
