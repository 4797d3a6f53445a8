/** Rules with each of their resources apart, and the classes of actions that they match. */

import { bindUser, isWildcardName } from "../../engine/patterns/resource-pattern.ts";
import type { Pattern, Patterns } from "../compare/pattern-positions.ts";
import { type Rule, type RuleSet, ruleText } from "../compare/rules.ts";
import { namesUser } from "../compare/user-names.ts";
import { patternOf } from "./resource-texts.ts";

/** A rule about one resource. */
export interface Unit {
  readonly rule: Rule;
  readonly resource: Pattern;
}

/** The units of one side: those that the other side has as well, and those that it does not have. */
export interface SideUnits {
  readonly allows: readonly Unit[];
  readonly denies: readonly Unit[];
  readonly changedAllows: readonly Unit[];
  readonly changedDenies: readonly Unit[];
  /** Statements that may fail in some requests alone, and that the other side does not have. */
  readonly changedFailures: readonly Rule[];
}

/** The user for whom policies are compared; undefined: any user whose name no policy contains. */
type ComparedUser = string | undefined;

/** True for a failure that no condition stands for: nobody can compare when it happens. */
function isOpaque({ failure, key, condition }: Rule): boolean {
  return failure && key !== undefined && condition === undefined;
}

/** Takes a set of rules apart. */
export function unitsOf(
  side: RuleSet,
  other: RuleSet,
  { partition, user, patterns }: { partition: string; user: ComparedUser; patterns: Patterns },
): SideUnits {
  const theirs = new Set([...other.allows, ...other.denies].map(ruleText));
  const unitsOfRule = (rule: Rule): Unit[] =>
    rule.resources.flatMap((written) => {
      const text = patternOf(user === undefined ? written : bindUser(written, user), partition);
      return text === undefined ? [] : [{ rule, resource: patterns.of(text) }];
    });
  const inForce = ({ allows }: RuleSet): readonly Rule[] =>
    user !== undefined && isWildcardName(user) ? allows.filter((rule) => !namesUser(rule)) : allows;
  const changed = (rules: readonly Rule[]) => rules.filter((rule) => !theirs.has(ruleText(rule)));
  const denies = side.denies.filter((rule) => !isOpaque(rule));
  return {
    allows: inForce(side).flatMap(unitsOfRule),
    denies: denies.flatMap(unitsOfRule),
    changedAllows: changed(inForce(side)).flatMap(unitsOfRule),
    changedDenies: changed(denies).flatMap(unitsOfRule),
    changedFailures: changed(side.denies.filter(isOpaque)),
  };
}
