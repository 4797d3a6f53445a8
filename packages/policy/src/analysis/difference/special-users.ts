/** Users for whom policies with `${user}` may mean something of their own, because policies contain their names. */

import { USER_PLACEHOLDER } from "../../engine/patterns/resource-pattern.ts";
import type { Pattern, Patterns } from "../compare/pattern-positions.ts";
import { type Rule, type RuleSet, ruleText } from "../compare/rules.ts";
import { namesUser, representativeNames, spelledNames } from "../compare/user-names.ts";

/** Names of users, and whether there may be others. */
export interface SpecialNames {
  readonly names: readonly string[];
  readonly complete: boolean;
}

/** Most pairs of rules that are looked at. */
const MOST_PAIRS = 20_000;
const WILDCARD = /[*?]/;

/** The names without a slash that the rules of both sides spell, as far as they matter for what changed; at most `most`. */
export function specialNames(
  [before, after]: readonly [RuleSet, RuleSet],
  patterns: Patterns,
  most: number,
): SpecialNames {
  const [old, now] = [before, after].map(({ allows, denies }) => [...allows, ...denies]) as [Rule[], Rule[]];
  const all = [...old, ...now];
  if (!all.some(namesUser)) return { names: [], complete: true };
  const [oldTexts, nowTexts] = [old, now].map((rules) => new Set(rules.map(ruleText))) as [
    Set<string>,
    Set<string>,
  ];
  const changed = all.filter((rule) => !(oldTexts.has(ruleText(rule)) && nowTexts.has(ruleText(rule))));
  const { names: made } = representativeNames(all);
  const letters = new Set(made.flatMap((name) => [...name]));
  const names = new Set<string>();
  let pairs = 0;
  let complete = true;
  for (const one of changed) {
    for (const other of all) {
      if (!namesUser(one) && !namesUser(other)) continue;
      // A `?` may stand for names of one length.
      if (countsLetters(one, other, patterns)) complete = false;
      if (++pairs > MOST_PAIRS) return { names: [...names].slice(0, most), complete: false };
      for (const name of namesBetween(one, other, made, patterns)) {
        // A line for any user is about names without a slash.
        if (name.includes("/")) continue;
        const madeUp = [...name].filter((letter) => letters.has(letter)).length;
        if (madeUp === 0 && !WILDCARD.test(name)) names.add(name);
        // Some letters of the name are free: there is no end of such names.
        else if (madeUp < name.length) complete = false;
      }
    }
  }
  return { names: [...names].slice(0, most), complete: complete && names.size <= most };
}

/** The names for which two rules may meet otherwise than for any user. */
function namesBetween(
  one: Rule,
  other: Rule,
  made: readonly string[],
  patterns: Patterns,
): readonly string[] {
  return one.resources.flatMap((left) =>
    other.resources.flatMap((right) =>
      dependsOnName(left, right, patterns)
        ? spelledNames({ ...one, resources: [left] }, { ...other, resources: [right] }, made)
        : [],
    ),
  );
}

function countsLetters(one: Rule, other: Rule, patterns: Patterns): boolean {
  return one.resources.some((left) =>
    other.resources.some((right) => `${left}${right}`.includes("?") && dependsOnName(left, right, patterns)),
  );
}

/** False if two resources meet for every user in the same way. */
function dependsOnName(left: string, right: string, patterns: Patterns): boolean {
  const [own, others] = [left, right].map((text) => text.split(USER_PLACEHOLDER)) as [string[], string[]];
  if ((own.length === 1 && others.length === 1) || left === right) return false;
  const isBehindSame = own.length === 2 && others.length === 2 && own[0] === others[0];
  if (isBehindSame && !WILDCARD.test(own[0] as string)) return false;
  const [one, other] = [own, others].map((parts) => patterns.of(parts.join("*"))) as [Pattern, Pattern];
  if (!one.mayMeet(other)) return false;
  if (own.length === 1 && one.covers(other)) return false;
  return !(others.length === 1 && other.covers(one));
}
