/** Users for whom policies with `${user}` may mean something of their own, because policies contain their names. */

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

/** The names that the rules of both sides spell, as far as they matter for what changed; at most `most`. */
export function specialNames([before, after]: readonly [RuleSet, RuleSet], most: number): SpecialNames {
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
  // A `?` stands for names of one length.
  let complete = !all.some(({ resources }) => resources.some((one) => one.includes("?")));
  for (const one of changed) {
    for (const other of all) {
      if (!namesUser(one) && !namesUser(other)) continue;
      if (++pairs > MOST_PAIRS) return { names: [...names].slice(0, most), complete: false };
      for (const name of spelledNames(one, other, made)) {
        const madeUp = [...name].filter((letter) => letters.has(letter)).length;
        if (madeUp === 0 && !WILDCARD.test(name)) names.add(name);
        // Some letters of the name are free: there is no end of such names.
        else if (madeUp < name.length) complete = false;
      }
    }
  }
  return { names: [...names].slice(0, most), complete: complete && names.size <= most };
}
