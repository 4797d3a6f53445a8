/** Users for whom policies with `${user}` may mean something of their own, because policies contain their names. */

import { USER_PLACEHOLDER } from "../../engine/patterns/resource-pattern.ts";
import type { Pattern, Patterns } from "../compare/pattern-positions.ts";
import { type Rule, type RuleSet, ruleText } from "../compare/rules.ts";
import { namesUser, representativeNames, spelledNames } from "../compare/user-names.ts";
import { actionsMayMeet } from "./cells.ts";

/** Names of users, and whether there may be others. */
interface SpecialNames {
  readonly names: readonly string[];
  readonly complete: boolean;
}

/** Most pairs of rules that are looked at. */
const MOST_PAIRS = 20_000;
const WILDCARD = /[*?]/;

/**
 * The names without a slash that the rules of both sides spell, as far as they matter for what changed; at most `most`.
 * A rule matters that changed, or that may meet one that did: two of them that are unchanged may leave nothing of a change
 * for one user alone.
 */
export function specialNames(
  [before, after]: readonly [RuleSet, RuleSet],
  patterns: Patterns,
  most: number,
): SpecialNames {
  const [old, now] = [before, after].map(({ allows, denies }) => [...allows, ...denies]) as [Rule[], Rule[]];
  const all = [...old, ...now];
  if (!all.some(namesUser)) return { names: [], complete: true };
  const rulesOf = rulesByResource(near(old, now, patterns));
  const { names: made } = representativeNames(all);
  const letters = new Set(made.flatMap((name) => [...name]));
  const names = new Set<string>();
  let pairs = 0;
  let complete = true;
  for (const [left, ofLeft] of rulesOf) {
    if (!left.includes(USER_PLACEHOLDER)) continue;
    for (const [right, ofRight] of rulesOf) {
      if (++pairs > MOST_PAIRS) return { names: [...names].slice(0, most), complete: false };
      if (!dependsOnName(left, right, patterns)) continue;
      if (!ofLeft.some((one) => ofRight.some((other) => actionsMayMeet(one, other, patterns)))) continue;
      // A `?` may stand for names of one length.
      if (`${left}${right}`.includes("?")) complete = false;
      for (const name of spelledNames({ resources: [left] }, { resources: [right] }, made)) {
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

/** The rules that only one side has, and those of both sides that may meet one of them, whoever the user is. */
function near(old: readonly Rule[], now: readonly Rule[], patterns: Patterns): readonly Rule[] {
  const [oldTexts, nowTexts] = [old, now].map((rules) => new Set(rules.map(ruleText))) as [
    Set<string>,
    Set<string>,
  ];
  const all = new Map([...old, ...now].map((rule) => [ruleText(rule), rule]));
  const [changed, same]: [Rule[], Rule[]] = [[], []];
  for (const [text, rule] of all) (oldTexts.has(text) && nowTexts.has(text) ? same : changed).push(rule);
  const wide = (rule: Rule) =>
    rule.resources.map((text) => patterns.of(text.replaceAll(USER_PLACEHOLDER, "*")));
  const places = changed.map((rule) => ({ rule, resources: wide(rule) }));
  const mayMeet = (rule: Rule) => {
    const own = wide(rule);
    return places.some(
      (one) =>
        own.some((left) => one.resources.some((right) => left.mayMeet(right))) &&
        actionsMayMeet(rule, one.rule, patterns),
    );
  };
  return [...changed, ...same.filter(mayMeet)];
}

function rulesByResource(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const found = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const resource of rule.resources) {
      const known = found.get(resource);
      if (known === undefined) found.set(resource, [rule]);
      else known.push(rule);
    }
  }
  return found;
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
