/** Compares two versions of policies in both directions: access that is gained and access that is lost. */

import type { NamedStatements } from "../../model/policy.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { isMissing, type PolicyWorld } from "../files/policy-world.ts";
import type { StatementPlace } from "./rules.ts";
import { type Widening, type WideningOptions, widening } from "./widening.ts";

/** The subject of a comparison: a user of a data set, a user with one policy alone, or a user with all policies. */
export type DiffScope = { readonly user: string } | { readonly policy: string } | { readonly all: true };

/** One way in which access changes. */
export interface Change extends Widening {
  /** Further statements that allow the same example. */
  readonly alsoAllowedBy?: readonly StatementPlace[];
}

/** The changes for one scope. */
export interface ScopeDiff {
  readonly scope: DiffScope;
  /** Requests that are allowed after and not before. */
  readonly wider: readonly Change[];
  /** Requests that are allowed before and not after; `before` and `after` are exchanged in each. */
  readonly narrower: readonly Change[];
}

/** Settings of a comparison. */
export interface DiffOptions {
  readonly vocabulary: Vocabulary;
  /** Most changes to search for in each direction of a scope. */
  readonly limit: number;
}

interface Pair {
  readonly scope: DiffScope;
  readonly before: readonly NamedStatements[];
  readonly after: readonly NamedStatements[];
  readonly users?: readonly string[];
}

function heldOrNothing(world: PolicyWorld, user: string): readonly NamedStatements[] {
  const held = world.heldBy(user);
  return isMissing(held) ? [] : held.map(({ policy }) => policy);
}

/** Every policy alone: the files do not say which policies a user has together. */
function policyPairs(before: PolicyWorld, after: PolicyWorld): Pair[] {
  const names = new Set([...before.policies, ...after.policies].map(({ name }) => name));
  const named = (world: PolicyWorld, name: string) => world.policies.filter((policy) => policy.name === name);
  return [...names].map((policy) => ({
    scope: { policy },
    before: named(before, policy),
    after: named(after, policy),
  }));
}

function pairsOf(before: PolicyWorld, after: PolicyWorld): Pair[] {
  const users = [...new Set([...before.users, ...after.users])];
  const byUser = users.map((user) => ({
    scope: { user },
    before: heldOrNothing(before, user),
    after: heldOrNothing(after, user),
    users: [user],
  }));
  const all: Pair = { scope: { all: true }, before: before.policies, after: after.policies };
  const single = policyPairs(before, after);
  return [...(single.length > 1 ? [all] : []), ...single, ...byUser];
}

/** The request of a change and its effects as a text; undefined without an example. */
function exampleOf({ counterexample, anyUser }: Widening): string | undefined {
  if (counterexample === undefined) return undefined;
  const { user, required, context, before } = counterexample;
  return JSON.stringify([anyUser ? null : user, required, context, before]);
}

/** Merges changes with equal examples. */
function withoutRepeats(changes: readonly Widening[]): Change[] {
  const found = new Map<string, Change>();
  for (const [index, change] of changes.entries()) {
    const key = exampleOf(change) ?? `${index}`;
    const first = found.get(key);
    const more = [...(first?.alsoAllowedBy ?? []), change.allowedBy];
    found.set(
      key,
      first === undefined ? change : { ...first, alsoAllowedBy: distinct(first.allowedBy, more) },
    );
  }
  return [...found.values()].map((change) => {
    const { alsoAllowedBy, ...rest } = change;
    return alsoAllowedBy === undefined || alsoAllowedBy.length === 0 ? rest : change;
  });
}

/** The distinct places without `first`. */
function distinct(first: StatementPlace, places: readonly StatementPlace[]): StatementPlace[] {
  const byText = new Map(places.map((place) => [JSON.stringify(place), place]));
  byText.delete(JSON.stringify(first));
  return [...byText.values()];
}

/** The number of changes in all scopes; equal examples count once. */
export function countChanges(scopes: readonly ScopeDiff[], direction: "wider" | "narrower"): number {
  let withoutExample = 0;
  const examples = new Set<string>();
  for (const change of scopes.flatMap((scope) => scope[direction])) {
    const example = exampleOf(change);
    if (example === undefined) withoutExample++;
    else examples.add(example);
  }
  return examples.size + withoutExample;
}

function sameStatements(one: readonly NamedStatements[], other: readonly NamedStatements[]): boolean {
  const texts = (policies: readonly NamedStatements[]): string =>
    JSON.stringify(policies.map(({ name, statement }) => [name, statement]).sort());
  return texts(one) === texts(other);
}

/** The requests that are allowed on one side alone: {@link ScopeDiff} without its scope; at most `limit` each. */
export function changesBetween(
  before: readonly NamedStatements[],
  after: readonly NamedStatements[],
  options: WideningOptions,
): Pick<ScopeDiff, "wider" | "narrower"> {
  return {
    wider: withoutRepeats(widening(before, after, options)),
    narrower: withoutRepeats(widening(after, before, options)),
  };
}

/**
 * Compares two worlds: all policies together, each policy alone, and the policies of each user of data sets. Scopes
 * without changes are omitted.
 */
export function diffWorlds(before: PolicyWorld, after: PolicyWorld, options: DiffOptions): ScopeDiff[] {
  const { vocabulary, limit } = options;
  const found: ScopeDiff[] = [];
  for (const pair of pairsOf(before, after)) {
    if (sameStatements(pair.before, pair.after)) continue;
    const settings = {
      partition: vocabulary.partition,
      vocabulary,
      limit,
      ...(pair.users === undefined ? {} : { users: pair.users }),
    };
    const { wider, narrower } = changesBetween(pair.before, pair.after, settings);
    if (wider.length + narrower.length > 0) found.push({ scope: pair.scope, wider, narrower });
  }
  return found;
}
