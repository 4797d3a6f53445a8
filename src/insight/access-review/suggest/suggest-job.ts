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
  /** Unix seconds at which the user, or the group, was made: what was recorded before is of somebody else. */
  readonly created: number;
  /** Names of the members of the group, with the times at which they were made; empty for a user. */
  readonly members: readonly (readonly [string, number])[];
  /** The policies that the user has, or that are attached to the group, sorted by name. */
  readonly held: readonly HeldPolicy[];
}

/** The user, or the group, for whom the suggestion is. */
interface Subject {
  readonly revision: number;
  readonly user: string | undefined;
  readonly group: string | undefined;
  /** Unix seconds at which each user was made. */
  readonly members: ReadonlyMap<string, number>;
  /** Unix seconds at which the group was made. */
  readonly created: number;
  readonly held: readonly HeldPolicy[];
}

interface Counts {
  decisions: number;
  /** Decisions that policies of today no longer allow. */
  refusedToday: number;
  /** Allowed decisions of batches that their records do not list. */
  unlisted: number;
  /** Allowed decisions about users, or by a group, of the same names that were there before. */
  earlier: number;
}

/** Does the job. */
export function suggestAnswer(job: SuggestJob, found: SuggestSubject, partition: string): AccessResult {
  const { user, group } = job;
  const members = new Map(user === undefined ? found.members : [[user, found.created]]);
  const subject = { ...found, user, group, members };
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
  const counts: Counts = { decisions: 0, refusedToday: 0, unlisted: 0, earlier: 0 };
  const asked = {
    subjects: [...subject.members.keys()],
    policies: subject.group === undefined ? [] : subject.held.map(({ name }) => name),
    since: job.since,
    until: job.until,
  };
  for (const record of index.allowed(asked)) {
    if (isHypothetical(record)) continue;
    counts.unlisted += unlistedOf(record);
    const at = Date.parse(record.at) / 1_000;
    for (const question of questionsOf(record)) {
      const about = aboutWhom(question, at, subject);
      if (about === "earlier") counts.earlier++;
      if (about !== "subject") continue;
      const { user, required, context } = question;
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

/**
 * Of a group: the requests of its members, and those that its policies decided through it for others. Names change hands:
 * what an earlier user or group of the name used is nothing that this one needs.
 */
function aboutWhom(
  { user, effect, determining }: RecordedQuestion,
  at: number,
  { members, group, created }: Subject,
): "subject" | "earlier" | undefined {
  if (effect !== "allow" || user === null) return undefined;
  const made = members.get(user);
  if (made !== undefined && made <= at) return "subject";
  const isThrough = determining.some(({ via }) => via.some((way) => "group" in way && way.group === group));
  if (isThrough && created <= at) return "subject";
  return isThrough || made !== undefined ? "earlier" : undefined;
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
  { refusedToday, unlisted, earlier, decisions }: Counts,
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
      earlier > 0,
      `${earlier} recorded decisions are left out: they are older than the ${user === undefined ? "group or its members" : "user"} of this name`,
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
