/** Compares what policies of files allow: for each set of policies that users have, or each policy alone. */

import { USER_PLACEHOLDER } from "../../engine/patterns/resource-pattern.ts";
import type { NamedStatements } from "../../model/policy.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { isMissing, type PolicyWorld } from "../files/policy-world.ts";
import { accessDifference } from "./access-difference.ts";
import type { AccessDifference, DifferenceLine } from "./line.ts";

/** Users with the same policies, before and after. */
interface ScopeUsers {
  readonly count: number;
  /** The names of the first. */
  readonly first: readonly string[];
}

/** The subject of a comparison: users of data sets, a user with one policy alone, or a user with all policies. */
export type DifferenceScope =
  | { readonly users: ScopeUsers }
  | { readonly policy: string }
  | { readonly all: true };

/** The difference for one scope. */
export interface ScopeDifference extends AccessDifference {
  readonly scope: DifferenceScope;
}

/** Settings of a comparison. */
interface WorldOptions {
  readonly vocabulary: Vocabulary;
  /** Most lines in each direction of a scope. */
  readonly limit: number;
}

/** Milliseconds of CPU for all scopes. */
const PATIENCE_MS = 4_000;
/** Most sets of policies that are compared. */
const MOST_SETS = 1_000;
/** Most names of users that a scope has. */
const MOST_NAMES = 5;

interface Pair {
  readonly scope: DifferenceScope;
  /** The user for whom it is compared; undefined: any user whose name has no slash. */
  readonly user?: string;
  readonly names?: readonly string[];
  readonly before: readonly NamedStatements[];
  readonly after: readonly NamedStatements[];
}

function textOf(policies: readonly NamedStatements[]): string {
  return JSON.stringify(policies.map(({ name, statement }) => [name, statement]).sort());
}

/** Every policy alone, and all together where the files do not say which policies a user has. */
function policyPairs(before: PolicyWorld, after: PolicyWorld, hasUsers: boolean): Pair[] {
  const names = [...new Set([...before.policies, ...after.policies].map(({ name }) => name))];
  const named = (world: PolicyWorld, name: string) => world.policies.filter((one) => one.name === name);
  const all: Pair = { scope: { all: true }, before: before.policies, after: after.policies };
  const single = names.map((policy) => ({
    scope: { policy },
    before: named(before, policy),
    after: named(after, policy),
  }));
  return hasUsers || single.length < 2 ? single : [all, ...single];
}

/**
 * Users by the policies that they have before and after. A user whose name has a slash is compared alone where policies
 * have `${user}`: the name then reaches over several parts of a path.
 */
function userPairs(before: PolicyWorld, after: PolicyWorld): Pair[] {
  const heldBy = (world: PolicyWorld, user: string): readonly NamedStatements[] => {
    const held = world.heldBy(user);
    return isMissing(held) ? [] : held.map(({ policy }) => policy);
  };
  const pairs = new Map<
    string,
    { names: string[]; user?: string; before: readonly NamedStatements[]; after: readonly NamedStatements[] }
  >();
  for (const user of new Set([...before.users, ...after.users])) {
    const [was, is] = [heldBy(before, user), heldBy(after, user)];
    const [old, now] = [textOf(was), textOf(is)];
    if (old === now) continue;
    const isAlone = user.includes("/") && (old.includes(USER_PLACEHOLDER) || now.includes(USER_PLACEHOLDER));
    const key = `${old}\n${now}${isAlone ? `\n${user}` : ""}`;
    const known = pairs.get(key);
    if (known !== undefined) known.names.push(user);
    else pairs.set(key, { names: [user], before: was, after: is, ...(isAlone && { user }) });
  }
  return [...pairs.values()]
    .map(({ names, ...sides }) => ({
      scope: { users: { count: names.length, first: names.slice(0, MOST_NAMES) } },
      names,
      ...sides,
    }))
    .sort((a, b) => b.names.length - a.names.length);
}

/** The lines that are about some of the users. */
function aboutUsers(
  lines: readonly DifferenceLine[],
  names: readonly string[] | undefined,
): readonly DifferenceLine[] {
  if (names === undefined) return lines;
  const has = new Set(names);
  return lines.filter(({ user, notFor }) =>
    user === undefined ? notFor === undefined || names.some((name) => !notFor.includes(name)) : has.has(user),
  );
}

/**
 * Compares two worlds. Scopes without a difference are omitted; what takes too long is said in `leftOut` of the scope.
 */
export function worldDifference(
  before: PolicyWorld,
  after: PolicyWorld,
  options: WorldOptions,
): ScopeDifference[] {
  const { vocabulary, limit } = options;
  const users = userPairs(before, after);
  const hasUsers = before.users.length + after.users.length > 0;
  const pairs = [...policyPairs(before, after, hasUsers), ...users.slice(0, MOST_SETS)];
  const begin = process.threadCpuUsage();
  const left = () => {
    const { user, system } = process.threadCpuUsage(begin);
    return PATIENCE_MS - (user + system) / 1_000;
  };
  const found: ScopeDifference[] = [];
  for (const { scope, names, user, ...sides } of pairs) {
    if (textOf(sides.before) === textOf(sides.after)) continue;
    const patience = left();
    if (patience <= 0) {
      found.push({ scope, gains: [], losses: [], leftOut: ["not compared: it takes too long"] });
      continue;
    }
    const { partition } = vocabulary;
    const settings = { partition, vocabulary, limit, patience, ...(user !== undefined && { user }) };
    const { gains, losses, leftOut } = accessDifference(sides.before, sides.after, settings);
    const difference = { gains: aboutUsers(gains, names), losses: aboutUsers(losses, names), leftOut };
    if (difference.gains.length + difference.losses.length + leftOut.length > 0)
      found.push({ scope, ...difference });
  }
  for (const { scope } of users.slice(MOST_SETS)) {
    found.push({
      scope,
      gains: [],
      losses: [],
      leftOut: [`not compared: more than ${MOST_SETS} sets of policies`],
    });
  }
  return found;
}
