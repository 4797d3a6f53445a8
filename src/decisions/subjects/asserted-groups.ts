/**
 * The groups that a request names for a subject that the directory does not know (spec/decision-api §8): which of them
 * its caller may name, in one form for each set.
 */

import { compileWildcard, type Wildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";

/**
 * Most groups that count, and that a request may name. What an issuer has signed may have more, as long as no more than
 * these are ones that it may assert: a long list names none.
 */
export const MOST_GROUPS = 200;

/** The list is longer than {@link MOST_GROUPS}. */
export const TOO_MANY_GROUPS = Symbol("too many groups");

/** Somebody who may assert groups. */
export interface Asserter {
  /** Name of the token or the issuer, for records. */
  readonly name: string;
  /** Patterns of the names of groups that it may assert; absent or empty: none. */
  readonly assertGroups?: readonly string[];
}

const PATTERNS = new WeakMap<readonly string[], readonly Wildcard[]>();

/**
 * The names that the asserter may name: distinct, in UTF-8 byte order. None where the value is not a list of texts; of a
 * signed list the texts count.
 * @param isSigned true for the list of a verified token, whose names are counted after those that do not count are left out
 */
export function groupsOf(
  given: unknown,
  asserter: Asserter | undefined,
  isSigned: boolean,
): readonly string[] | typeof TOO_MANY_GROUPS {
  const patterns = asserter?.assertGroups;
  if (patterns === undefined || patterns.length === 0) return [];
  if (!Array.isArray(given)) return [];
  if (!isSigned && given.length > MOST_GROUPS) return TOO_MANY_GROUPS;
  const wildcards = compiled(patterns);
  // An element of what an issuer signed that is no text names no group, and takes none from the others.
  if (!isSigned && !given.every((name) => typeof name === "string")) return [];
  const permitted = (name: unknown): name is string =>
    typeof name === "string" && isPossibleName(name) && wildcards.some((wildcard) => wildcard.match(name));
  const names = [...new Set<unknown>(given)].filter(permitted).sort(compareUtf8);
  return names.length > MOST_GROUPS ? TOO_MANY_GROUPS : names;
}

function compiled(patterns: readonly string[]): readonly Wildcard[] {
  let wildcards = PATTERNS.get(patterns);
  if (wildcards === undefined) {
    wildcards = patterns.map(compileWildcard);
    PATTERNS.set(patterns, wildcards);
  }
  return wildcards;
}
