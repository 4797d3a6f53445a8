/** Answers what policies would have sufficed: reads the records, suggests, and says what is proven (spec/decision-log §5.3). */

import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import {
  isHypothetical,
  questionsOf,
  type RecordedQuestion,
} from "@svc-authorizer/policy/records/recorded-questions.ts";
import { type IndexReader, openIndexReader } from "../../../decision-log/index/read-index.ts";
import type { AccessResult, SuggestJob } from "../access-jobs.ts";
import type { HeldPolicy } from "../held-policies.ts";
import { suggestPolicies } from "./suggest-policies.ts";
import { allows, UsedRequests } from "./used-requests.ts";

/** Most different requests of one suggestion. */
const MOST_REQUESTS = 20_000;

/** The user, or the group, as the directory has it. */
export interface SuggestSubject {
  readonly revision: number;
  /** Names of the members of the group; of a user, that of the user. */
  readonly members: readonly string[];
  /** The policies that the user has, or that are attached to the group, sorted by name. */
  readonly held: readonly HeldPolicy[];
}

/** The user, or the group, for whom the suggestion is. */
interface Subject {
  readonly revision: number;
  readonly user: string | undefined;
  readonly group: string | undefined;
  readonly members: ReadonlySet<string>;
  readonly held: readonly HeldPolicy[];
}

interface Counts {
  decisions: number;
  /** Decisions that policies of today no longer allow. */
  refusedToday: number;
  /** Allowed decisions of batches that their records do not list. */
  unlisted: number;
}

/** Does the job. */
export function suggestAnswer(job: SuggestJob, found: SuggestSubject, partition: string): AccessResult {
  const { user, group } = job;
  const subject = { ...found, user, group, members: new Set(found.members) };
  const index = openIndexReader(job.index);
  try {
    return answerOf(job, subject, index, partition);
  } finally {
    index.close();
  }
}

function answerOf(job: SuggestJob, subject: Subject, index: IndexReader, partition: string): AccessResult {
  const compiled = compile(subject.held, { partition, evaluator: "extended" });
  const used = new UsedRequests(compiled);
  const counts: Counts = { decisions: 0, refusedToday: 0, unlisted: 0 };
  const asked = {
    subjects: [...subject.members],
    policies: subject.group === undefined ? [] : subject.held.map(({ name }) => name),
    since: job.since,
    until: job.until,
  };
  for (const record of index.allowed(asked)) {
    if (isHypothetical(record)) continue;
    counts.unlisted += unlistedOf(record);
    for (const { user, required, context } of questionsOf(record).filter((one) => isAbout(one, subject))) {
      const request = { user: user ?? "", required, context };
      counts.decisions++;
      if (allows(compiled, request)) used.add(request);
      else counts.refusedToday++;
    }
    if (used.size > MOST_REQUESTS) {
      return { refused: `there are more than ${MOST_REQUESTS} different requests; ask for a shorter time` };
    }
  }
  const name = `suggested-${subject.user ?? subject.group ?? ""}`;
  const suggestion = suggestPolicies({
    partition,
    held: subject.held,
    used: used.all(),
    generalise: job.generalise,
    name,
    ...(subject.user !== undefined && { user: subject.user }),
  });
  if (suggestion === undefined) {
    return { refused: "no smaller set of policies could be proven to allow what was used and nothing more" };
  }
  const { policies, sources, narrowed } = suggestion;
  const body = {
    for: subject.user === undefined ? { group: subject.group } : { user: subject.user },
    since: new Date(job.since).toISOString(),
    until: new Date(job.until).toISOString(),
    generalise: suggestion.generalise,
    revision: subject.revision,
    node: job.node,
    recorded_from: index.oldest() ?? new Date(job.until).toISOString(),
    decisions: counts.decisions,
    requests: used.size,
    before: {
      policies: subject.held.length,
      statements: statementsOf(subject.held),
    },
    after: { policies: policies.length, statements: statementsOf(policies) },
    policies: policies.map((policy) => ({ id: policy.name, statement: policy.statement })),
    sources,
    replaces: subject.held.map((policy) => ({ id: policy.name, via: policy.via })),
    proof: { allowed: used.size, wider: 0 },
    warnings: warningsOf(job, subject, counts, {
      narrowed,
      generalise: suggestion.generalise,
      oldest: index.oldest(),
      lost: index.lost(job.since, job.until),
      bytes: Buffer.byteLength(JSON.stringify(policies)),
    }),
  };
  return { body: JSON.stringify(body) };
}

/** Of a group: the requests of its members, and those that its policies decided through it for others. */
function isAbout({ user, effect, determining }: RecordedQuestion, { members, group }: Subject): boolean {
  if (effect !== "allow" || user === null) return false;
  if (members.has(user)) return true;
  return determining.some(({ via }) => via.some((way) => "group" in way && way.group === group));
}

function unlistedOf({ items, counts }: LoggedDecision): number {
  if (items === undefined || counts === undefined) return 0;
  return counts.allow - items.filter(({ decision }) => decision).length;
}

function statementsOf(policies: readonly { readonly statement: readonly unknown[] }[]): number {
  return policies.reduce((sum, { statement }) => sum + statement.length, 0);
}

interface Found {
  readonly narrowed: boolean;
  readonly generalise: string;
  readonly oldest: string | undefined;
  /** Number of records of the time that are lost. */
  readonly lost: number;
  readonly bytes: number;
}

function warningsOf(
  { otherNodes, share, since, recordedSince, policyBytes, generalise }: SuggestJob,
  { user }: Subject,
  { refusedToday, unlisted, decisions }: Counts,
  found: Found,
): readonly string[] {
  const warnings: [boolean, string][] = [
    [decisions === 0, "no allowed decision is recorded for that time: the suggestion allows nothing"],
    [
      found.oldest === undefined || Date.parse(found.oldest) > since,
      "records do not go back that far: what was used earlier is not in the suggestion",
    ],
    [
      recordedSince > since && found.oldest !== undefined && Date.parse(found.oldest) < recordedSince,
      `decisions are recorded as they are now since ${new Date(recordedSince).toISOString()} only: what was used before that may not be in the suggestion`,
    ],
    [
      found.lost > 0,
      `${found.lost} records of that time are lost, for want of room or by damage: what only they needed is not allowed`,
    ],
    [
      share !== undefined,
      `only a share of ${share} of the allowed decisions is recorded (authorizer.decision_log.include): what is missing is not allowed`,
    ],
    [
      otherNodes.length > 0,
      `only records of this node are read, and other nodes decide too: ${otherNodes.join(", ")}`,
    ],
    [
      unlisted > 0,
      `records of batches leave out ${unlisted} allowed decisions (authorizer.decision_log.items): what only they needed is not allowed`,
    ],
    [
      refusedToday > 0,
      `${refusedToday} recorded decisions are left out: the policies of ${user === undefined ? "the group" : "the user"} do not allow them today, or their condition fields are masked`,
    ],
    [!found.narrowed, "statements are kept as they are: narrower ones could not be proven"],
    [
      found.narrowed && found.generalise !== generalise,
      "resources are not generalised: with patterns, more would be allowed than today",
    ],
    [
      found.bytes > policyBytes,
      `the policy has ${found.bytes} bytes, more than authorizer.limits.policy_bytes allows; generalise it more`,
    ],
  ];
  return warnings.filter(([applies]) => applies).map(([, text]) => text);
}
