/**
 * Finds who gains and who loses by a change. The users are read in turns with other work, and compared in a thread, for
 * a few seconds at most: the answer says what was left out.
 */

import { GIVEN_UP } from "../analysis/threads/bounded-thread.ts";
import type { CompareResult } from "../analysis/threads/policy-jobs.ts";
import type { PolicyThread } from "../analysis/threads/policy-thread.ts";
import { isLarge } from "../analysis/threads/sent-policies.ts";
import type { Directory } from "../directory/directory.ts";
import type { NamedStatements } from "../model/policy.ts";
import { Pace } from "../schedule/pace.ts";
import type { AccessChange, Impact } from "./access-change.ts";
import { changesOf, MergedChanges } from "./changed-access.ts";
import { concernedUsers } from "./concerned-users.ts";
import type { UserClass } from "./user-classes.ts";

/** Parts of the search. */
export interface ImpactParts {
  readonly directory: Pick<Directory, "survey">;
  readonly thread: PolicyThread;
}

/** Milliseconds for all comparisons of a change, and for one of them. */
const COMPARING_MS = 3_000;
const ONE_MS = 1_000;
/** Changes of one comparison, in each direction. */
const LIMIT = 50;
/** Comparisons that may take too long before the others are not tried any more. */
const MOST_GIVEN_UP = 3;

const plural = (count: number) => (count === 1 ? "1 user" : `${count} users`);

/**
 * Finds who gains and who loses by a change.
 * @param caller for whom: callers get their turns one after the other
 * @param signal ends the search
 * @throws AuthorizerError "not_found" for an unknown policy, user or group; "unavailable" if too much waits
 */
export async function findImpact(
  { directory, thread }: ImpactParts,
  caller: string,
  change: AccessChange,
  signal?: AbortSignal,
): Promise<Impact> {
  const { pause } = new Pace(signal);
  const concerned = await directory.survey((survey) => concernedUsers(survey, change, pause), pause);
  const { revision, classes, affected, before, after } = concerned;
  const leftOut = [...concerned.leftOut];
  const compared = async (
    sides: Pick<UserClass, "before" | "after"> & { readonly user?: string },
    patience: number,
  ) => {
    signal?.throwIfAborted();
    if (isLarge([...sides.before, ...sides.after])) return GIVEN_UP;
    return thread.run(caller, { kind: "compare", ...sides, limit: LIMIT }, patience);
  };
  const alone = await compared({ before: listOf(before), after: listOf(after) }, ONE_MS);
  if (alone === GIVEN_UP) leftOut.push("comparing the policy alone takes too long");
  else if (hasMore(alone)) leftOut.push(`of the policy alone, only the first ${LIMIT} changes are listed`);
  const merged = new MergedChanges();
  const until = performance.now() + COMPARING_MS;
  let [done, givenUp, cut] = [0, 0, false];
  for (const { users, user, some, via, ...sides } of classes) {
    const left = until - performance.now();
    if (left <= 0 || givenUp >= MOST_GIVEN_UP) break;
    const found = await compared({ ...sides, user }, Math.min(left, ONE_MS));
    if (found === GIVEN_UP) {
      givenUp++;
      continue;
    }
    done += users;
    cut ||= hasMore(found);
    merged.add({ users, user, some, via, ...sides }, changesOf(found));
  }
  if (done < affected)
    leftOut.push(`${plural(affected - done)} of ${affected} not compared: it takes too long`);
  if (cut || merged.isFull) leftOut.push("there are more changes than are listed");
  return {
    revision,
    users: { affected, compared: done, gaining: merged.gaining, losing: merged.losing },
    ...merged.all,
    alone: alone === GIVEN_UP ? { gains: [], losses: [] } : changesOf(alone),
    leftOut,
  };
}

function listOf(policy: NamedStatements | undefined): readonly NamedStatements[] {
  return policy === undefined ? [] : [{ name: policy.name, statement: policy.statement }];
}

function hasMore({ wider, narrower }: CompareResult): boolean {
  return wider.length >= LIMIT || narrower.length >= LIMIT;
}
