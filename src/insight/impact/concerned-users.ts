/** The users whom a change concerns, read from one state of the directory. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { NamedStatements, Via } from "@svc-authorizer/policy/model/policy.ts";
import type { Survey } from "../../directory/directory.ts";
import type { Principal } from "../../directory/principal.ts";
import type { Pause } from "../../schedule/pace.ts";
import type { AccessChange, PolicyHolder } from "./access-change.ts";
import { changedStatements, Relevance } from "./relevance.ts";
import { type Holding, type UserClass, UserClasses } from "./user-classes.ts";

/** The concerned users by class, and the policy that changes. */
interface ConcernedUsers {
  readonly revision: number;
  readonly classes: readonly UserClass[];
  readonly affected: number;
  /** The policy before and after the change: of an attachment nothing and the policy. */
  readonly before: NamedStatements | undefined;
  readonly after: NamedStatements | undefined;
  readonly leftOut: readonly string[];
}

/** Milliseconds for which users are read. */
const READING_MS = 2_500;
const NOT_ALL_READ = `more users are concerned than could be read in ${READING_MS / 1_000} seconds`;
const TOO_VARIED = "the users have too many different sets of policies to compare them all";

/** Reads them. Throws AuthorizerError "not_found" for an unknown policy, user or group. */
export async function concernedUsers(
  survey: Survey,
  change: AccessChange,
  pause: Pause,
): Promise<ConcernedUsers> {
  const name = change.kind === "save" ? change.policy.name : change.name;
  const stored = await survey.policy(name);
  if (stored === undefined && change.kind !== "save") throw missing("policy");
  const { before, after } = sidesOf(change, stored);
  const classes = new UserClasses(
    name,
    new Relevance(changedStatements(before?.statement ?? [], after?.statement ?? []), pause),
  );
  const leftOut = new Set<string>();
  const until = performance.now() + READING_MS;
  let affected = 0;
  reading: for await (const names of await namesOf(survey, change, stored)) {
    for (const username of names) {
      await pause();
      if (performance.now() > until) {
        leftOut.add(NOT_ALL_READ);
        break reading;
      }
      const principal = await survey.principal(username);
      const holding = principal && holdingOf(principal, change, name, { stored, after });
      if (principal === undefined || holding === undefined) continue;
      affected++;
      if (!(await classes.add(principal, holding))) leftOut.add(TOO_VARIED);
    }
  }
  return { revision: survey.revision, classes: classes.all, affected, before, after, leftOut: [...leftOut] };
}

function sidesOf(
  change: AccessChange,
  stored: StoredPolicy | undefined,
): Pick<ConcernedUsers, "before" | "after"> {
  if (change.kind === "save") return { before: stored, after: change.policy };
  return change.kind === "attach"
    ? { before: undefined, after: stored }
    : { before: stored, after: undefined };
}

async function namesOf(
  survey: Survey,
  change: AccessChange,
  stored: StoredPolicy | undefined,
): Promise<AsyncIterable<readonly string[]>> {
  if (change.kind === "save" || change.kind === "delete") {
    return stored === undefined ? listed([]) : survey.holders(new Map([[stored.id, () => true]]), "");
  }
  const { holder } = change;
  if ("group" in holder) {
    const members = await survey.members(holder.group);
    if (members === undefined) throw missing("group");
    return usernames(members);
  }
  if ((await survey.principal(holder.user)) === undefined) throw missing("user");
  return listed([holder.user]);
}

async function* usernames(
  pages: AsyncIterable<readonly { readonly username: string }[]>,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield page.map(({ username }) => username);
}

async function* listed(names: readonly string[]): AsyncGenerator<readonly string[]> {
  yield names;
}

/** The policy as one user has it before and after; undefined if the user is not concerned. */
function holdingOf(
  { held }: Principal,
  change: AccessChange,
  name: string,
  {
    stored,
    after,
  }: { readonly stored: StoredPolicy | undefined; readonly after: NamedStatements | undefined },
): Holding | undefined {
  const ways = held.filter(({ policies }) => policies.some((policy) => policy.name === name));
  const via = ways.map((way) => way.via);
  if (change.kind === "save" || change.kind === "delete") {
    return via.length === 0 ? undefined : { before: stored, after, via };
  }
  const before = via.length === 0 ? undefined : stored;
  if (change.kind === "attach") return { before, after, via: [change.holder] };
  const others = via.filter((way) => !isSame(way, change.holder));
  if (others.length === via.length) return undefined;
  return { before, after: others.length === 0 ? undefined : stored, via: [change.holder] };
}

function isSame(way: Via, holder: PolicyHolder): boolean {
  return "user" in holder ? "user" in way : "group" in way && way.group === holder.group;
}

function missing(kind: "policy" | "group" | "user"): AuthorizerError {
  return new AuthorizerError("not_found", `${kind} not found`);
}
