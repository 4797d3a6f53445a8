/** Things in a directory that somebody should look at: old keys, doubtful policies, administrators. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory, Survey } from "../../directory/directory.ts";
import { Pace, type Pause } from "../../schedule/pace.ts";
import { GIVEN_UP } from "../../threads/bounded-thread.ts";
import type { Doubt } from "../../threads/policy-jobs.ts";
import type { PolicyThread } from "../../threads/policy-thread.ts";

/** An access key that is older than a year. */
interface OldKey {
  readonly user: string;
  readonly accessKeyId: string;
  /** Unix seconds. */
  readonly creationDate: number;
}

/** Some of several things, and their number. */
interface Counted<T> {
  readonly count: number;
  readonly some: readonly T[];
}

/** The findings in one state of the directory. */
export interface DirectoryWarnings {
  readonly revision: number;
  /** Oldest first. */
  readonly oldKeys: Counted<OldKey>;
  readonly doubtfulPolicies: Counted<Doubt>;
  /** Users who may attach any policy to any user. */
  readonly administrators: Counted<string>;
  /** False if some policies could not be checked in time, or there are more administrators than were counted. */
  readonly complete: boolean;
}

/** Parts of the search. */
export interface WarningParts {
  readonly directory: Pick<Directory, "survey">;
  readonly searches: Pick<Decisions["searches"], "whoCan">;
  readonly thread: PolicyThread;
  /** Product-name part of ARNs. */
  readonly partition: string;
  /** Services that actions may name. */
  readonly services: () => Promise<readonly string[]>;
  /** True for a policy as it comes with the service: nobody here can mend it, and what it does is documented. */
  readonly isShipped: (policy: NamedStatements) => boolean;
  /** Returns Unix seconds. */
  readonly now: () => number;
}

/** Findings about policies, by id and version. */
export type KnownDoubts = Map<string, Doubt | undefined>;

const YEAR_S = 365 * 24 * 60 * 60;
/** Most things of a kind that are named. */
const MOST_NAMED = 20;
const MOST_ADMINISTRATORS = 1_000;
/** Policies of one job of the thread, and its milliseconds. */
const AT_ONCE = 50;
const PATIENCE_MS = 2_000;
const CALLER = "the service itself";

/**
 * Looks through the directory, in turns with other work.
 * @param known what was found before; it is replaced by what is found now
 * @param signal ends the search
 */
export async function findWarnings(
  parts: WarningParts,
  known: KnownDoubts,
  signal: AbortSignal,
): Promise<DirectoryWarnings> {
  const { pause } = new Pace(signal);
  const seen = await parts.directory.survey(async (survey) => {
    const oldKeys = await findOldKeys(survey, parts.now() - YEAR_S, pause);
    return { revision: survey.revision, oldKeys, policies: await survey.policies() };
  }, pause);
  const doubts = await findDoubts(parts, seen.policies, known, signal);
  signal.throwIfAborted();
  const administrators = await findAdministrators(parts, signal);
  return {
    revision: seen.revision,
    oldKeys: seen.oldKeys,
    doubtfulPolicies: { count: doubts.found.length, some: doubts.found.slice(0, MOST_NAMED) },
    administrators: {
      count: administrators.names.length,
      some: administrators.names.slice(0, MOST_NAMED),
    },
    complete: doubts.complete && !administrators.more,
  };
}

async function findOldKeys(survey: Survey, before: number, pause: Pause): Promise<Counted<OldKey>> {
  let count = 0;
  let some: OldKey[] = [];
  for await (const page of survey.keys()) {
    const old = page.filter(({ creation_date }) => creation_date < before);
    count += old.length;
    const keys = old.map(({ username, access_key_id, creation_date }) => {
      return { user: username, accessKeyId: access_key_id, creationDate: creation_date };
    });
    some = [...some, ...keys].sort((a, b) => a.creationDate - b.creationDate).slice(0, MOST_NAMED);
    await pause();
  }
  return { count, some };
}

async function findDoubts(
  { thread, services, isShipped }: WarningParts,
  policies: readonly StoredPolicy[],
  known: KnownDoubts,
  signal: AbortSignal,
): Promise<{ readonly found: readonly Doubt[]; readonly complete: boolean }> {
  const before = new Map(known);
  known.clear();
  const fresh: StoredPolicy[] = [];
  for (const policy of policies) {
    const key = keyOf(policy);
    if (before.has(key)) known.set(key, before.get(key));
    else if (isShipped(policy)) known.set(key, undefined);
    else fresh.push(policy);
  }
  const allowed = await services();
  let complete = true;
  for (let at = 0; at < fresh.length; at += AT_ONCE) {
    signal.throwIfAborted();
    const some = fresh.slice(at, at + AT_ONCE);
    const plain = some.map(({ name, statement, accept }) => ({
      name,
      statement,
      ...(accept !== undefined && { accept }),
    }));
    const found = await thread.run(
      CALLER,
      { kind: "doubts", policies: plain, services: allowed },
      PATIENCE_MS,
    );
    if (found === GIVEN_UP) complete = false;
    else {
      for (const policy of some) {
        known.set(
          keyOf(policy),
          found.find((one) => one.policy === policy.name),
        );
      }
    }
  }
  return { found: [...known.values()].filter((one) => one !== undefined), complete };
}

function keyOf({ id, version }: StoredPolicy): string {
  return `${id} ${version}`;
}

async function findAdministrators({ searches, partition }: WarningParts, signal: AbortSignal) {
  const question = {
    action: "auth:AttachPolicy",
    resource: `arn:${partition}:auth:::user/*`,
    context: new Map(),
    page: { limit: MOST_ADMINISTRATORS },
  };
  const { results, next } = await searches.whoCan(question, signal);
  return { names: results.map(({ user }) => user), more: next !== undefined };
}
