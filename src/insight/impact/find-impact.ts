/**
 * Finds who gains and who loses by a change. The users are read in turns with other work, and compared in a thread, for
 * a few seconds at most: the answer says what was left out.
 */

import type { DifferenceLine } from "@svc-authorizer/policy/analysis/difference/line.ts";
import { summaryText } from "@svc-authorizer/policy/analysis/difference/summary.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { Directory } from "../../directory/directory.ts";
import { Pace } from "../../schedule/pace.ts";
import { GIVEN_UP } from "../../threads/bounded-thread.ts";
import type { PolicyThread } from "../../threads/policy-thread.ts";
import { isLarge } from "../../threads/sent-policies.ts";
import type { AccessChange, Impact } from "./access-change.ts";
import { changesOf, MergedChanges } from "./changed-access.ts";
import { concernedUsers } from "./concerned-users.ts";
import type { UserClass } from "./user-classes.ts";

/** Parts of the search. */
interface ImpactParts {
  readonly directory: Pick<Directory, "survey">;
  readonly thread: PolicyThread;
}

/** Milliseconds of CPU for all comparisons with the policies of users. */
const COMPARING_MS = 3_000;
/** Milliseconds of CPU after which a comparison answers with what it has. */
const ONE_MS = 800;
/** Milliseconds of CPU beyond that after which a comparison that has not answered is given up. */
const GRACE_MS = 200;
/** Lines of one comparison, in each direction. */
const LIMIT = 100;
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
    sides: Pick<UserClass, "before" | "after"> & { readonly user?: string; readonly exampleUser?: string },
    cpuMs: number,
  ) => {
    signal?.throwIfAborted();
    if (isLarge([...sides.before, ...sides.after])) return GIVEN_UP;
    return thread.run(caller, { kind: "compare", ...sides, limit: LIMIT, cpuMs }, cpuMs + GRACE_MS);
  };
  const alone = await compared({ before: listOf(before), after: listOf(after) }, ONE_MS);
  if (alone === GIVEN_UP) leftOut.push("comparing the policy alone takes too long");
  else leftOut.push(...alone.leftOut.map((one) => `the policy alone: ${one}`));
  const merged = new MergedChanges();
  let left = COMPARING_MS;
  let [done, givenUp] = [0, 0];
  const cut = new Set<string>();
  for (const { users, user, some, via, isAlone, ...sides } of classes) {
    if (left <= 0 || givenUp >= MOST_GIVEN_UP) break;
    const found = await compared({ ...sides, ...comparedAs(user, isAlone) }, Math.min(left, ONE_MS));
    if (found === GIVEN_UP) {
      givenUp++;
      continue;
    }
    left -= found.usedMs;
    done += users;
    for (const one of found.leftOut) cut.add(one);
    const own = (lines: readonly DifferenceLine[]) => linesFor(lines, { users, some }, cut);
    const difference = { gains: own(found.gains), losses: own(found.losses), leftOut: [] };
    merged.add({ users, user, some, via, isAlone, ...sides }, changesOf(difference));
  }
  if (done < affected)
    leftOut.push(`${plural(affected - done)} of ${affected} not compared: it takes too long`);
  leftOut.push(...cut);
  if (merged.isFull) leftOut.push("there are more changes than are listed");
  const { gains, losses } = merged.all;
  const summed = (changes: typeof gains, count: number) => ({
    lines: changes.map(({ line }) => line),
    users: count,
  });
  return {
    revision,
    users: { affected, compared: done, gaining: merged.gaining, losing: merged.losing },
    gains,
    losses,
    summary: summaryText(summed(gains, merged.gaining), summed(losses, merged.losing), leftOut.length === 0),
    alone: alone === GIVEN_UP ? { gains: [], losses: [] } : changesOf(alone),
    leftOut,
  };
}

function listOf(policy: NamedStatements | undefined): readonly NamedStatements[] {
  return policy === undefined ? [] : [{ name: policy.name, statement: policy.statement }];
}

/** A name with wildcards, or one with a slash that matters, is compared itself; others are compared as any user. */
function comparedAs(
  user: string,
  isAlone: boolean,
): { readonly user: string } | { readonly exampleUser: string } {
  return isAlone || /[*?]/.test(user) ? { user } : { exampleUser: user };
}

/** The lines that are about users of a class; says so where the class has users whose names it does not know. */
function linesFor(
  lines: readonly DifferenceLine[],
  { users, some }: Pick<UserClass, "users" | "some">,
  leftOut: Set<string>,
): readonly DifferenceLine[] {
  return lines.filter(({ user, notFor }) => {
    if (user === undefined)
      return notFor === undefined || users > some.length || some.some((one) => !notFor.includes(one));
    if (some.includes(user)) return true;
    if (users > some.length) leftOut.add(`policies contain the name ${user}: compare that user apart`);
    return false;
  });
}
