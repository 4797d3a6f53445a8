/** Searches a request (action and resource) that some rules match and others do not. */

import { bindUser } from "../../engine/patterns/resource-pattern.ts";
import { formatArn, parseArn } from "../../model/arn.ts";
import { findText, leastMatches, type Match, SearchBudget, UNDECIDED } from "./pattern-language.ts";
import { type Pattern, Patterns } from "./pattern-positions.ts";
import type { Rule } from "./rules.ts";

/** An action on a resource. */
export interface Point {
  readonly action: string;
  readonly resource: string;
}

/** One rule, or two rules that must both match. */
export type Inside = readonly [Rule] | readonly [Rule, Rule];

/** A resource of a rule for one user. `service` and `account` must be equal, `text` is a pattern (spec/evaluation §3). */
type BoundResource =
  | { readonly any: true }
  | { readonly any: false; readonly service: string; readonly account: string; readonly text: Pattern };

/** The patterns of a rule for one user. */
interface BoundRule {
  readonly actions: readonly Pattern[];
  readonly resources: readonly BoundResource[];
}

/** The results that searches for several users share. */
export class SearchMemory {
  readonly patterns = new Patterns();
  readonly #budget = new SearchBudget();
  readonly #texts = new Map<string, string | undefined | typeof UNDECIDED>();
  readonly #least = new Map<string, readonly Match[] | typeof UNDECIDED>();

  /** {@link leastMatches}, remembered. */
  leastMatches(actions: readonly string[], others: readonly string[]): readonly Match[] | typeof UNDECIDED {
    const key = JSON.stringify([actions, others]);
    const known = this.#least.get(key) ?? leastMatches(actions, others, this.#budget);
    this.#least.set(key, known);
    return known;
  }

  /** {@link findText}, remembered. */
  findText(inside: readonly string[], outside: readonly string[]): string | undefined | typeof UNDECIDED {
    const key = JSON.stringify([inside, outside]);
    if (this.#texts.has(key)) return this.#texts.get(key);
    const found = findText(inside, outside, this.#budget);
    this.#texts.set(key, found);
    return found;
  }
}

function isSameField(a: BoundResource, b: BoundResource): boolean {
  return !a.any && !b.any && a.service === b.service && a.account === b.account;
}

function resourceCovers(wide: BoundResource, narrow: BoundResource): boolean {
  if (wide.any) return true;
  return !narrow.any && isSameField(wide, narrow) && wide.text.covers(narrow.text);
}

function resourcesMayMeet(a: BoundResource, b: BoundResource): boolean {
  if (a.any || b.any) return true;
  return isSameField(a, b) && a.text.mayMeet(b.text);
}

/** The patterns that an action must match, for each pair of patterns of the two rules. */
function actionPairs(first: BoundRule, second: BoundRule): readonly (readonly Pattern[])[] {
  if (first === second) return first.actions.map((action) => [action]);
  return first.actions.flatMap((left) =>
    second.actions
      .filter((right) => left.mayMeet(right))
      .map((right) => (left === right ? [left] : [left, right])),
  );
}

/** Searches for one user, whose name takes the place of `${user}`. */
export class PointSearch {
  readonly #user: string;
  readonly #partition: string;
  readonly #memory: SearchMemory;
  readonly #bound = new Map<Rule, BoundRule>();

  constructor(user: string, partition: string, memory: SearchMemory) {
    this.#user = user;
    this.#partition = partition;
    this.#memory = memory;
  }

  #bind(rule: Rule): BoundRule {
    const known = this.#bound.get(rule);
    if (known !== undefined) return known;
    const bound = {
      actions: rule.actions.map((action) => this.#memory.patterns.of(action)),
      resources: rule.resources.flatMap((written) => this.#bindResource(bindUser(written, this.#user))),
    };
    this.#bound.set(rule, bound);
    return bound;
  }

  /** Empty for a resource that matches nothing. */
  #bindResource(resource: string): BoundResource[] {
    if (resource === "*") return [{ any: true }];
    const arn = parseArn(resource, this.#partition);
    if (arn === undefined) return [];
    const { service, account } = arn;
    return [{ any: false, service, account, text: this.#memory.patterns.of(arn.resource) }];
  }

  /** True if `wide` matches every point that `narrow` matches. Other rules are not considered. */
  covers(wide: Rule, narrow: Rule): boolean {
    const [outer, inner] = [this.#bind(wide), this.#bind(narrow)];
    return (
      inner.resources.every((resource) => outer.resources.some((one) => resourceCovers(one, resource))) &&
      inner.actions.every((action) => outer.actions.some((one) => one.covers(action)))
    );
  }

  /** False only if no point matches both rules. */
  mayMeet(one: Rule, other: Rule): boolean {
    const [left, right] = [this.#bind(one), this.#bind(other)];
    return (
      left.resources.some((a) => right.resources.some((b) => resourcesMayMeet(a, b))) &&
      left.actions.some((a) => right.actions.some((b) => a.mayMeet(b)))
    );
  }

  /** True when the rule matches the point. */
  matches(rule: Rule, { action, resource }: Point): boolean {
    const { actions, resources } = this.#bind(rule);
    // The texts of a point have no wildcards, so covering and matching are the same.
    const asked: BoundResource = this.#bindResource(resource)[0] ?? { any: true };
    const name = this.#memory.patterns.of(action);
    return (
      actions.some((pattern) => pattern.covers(name)) && resources.some((one) => resourceCovers(one, asked))
    );
  }

  /** A point that each rule of `inside` matches and none of `outside` does. */
  find(inside: Inside, outside: readonly Rule[]): Point | undefined | typeof UNDECIDED {
    const first = this.#bind(inside[0]);
    const second = this.#bind(inside[1] ?? inside[0]);
    const pairs = actionPairs(first, second);
    if (pairs.length === 0) return undefined;
    const obstacles = outside.map((rule) => this.#bind(rule));
    let undecided = false;
    for (const left of first.resources) {
      for (const right of first === second ? [left] : second.resources) {
        if (!resourcesMayMeet(left, right)) continue;
        const found = this.#findBetween(pairs, [left, right], obstacles);
        if (found === UNDECIDED) undecided = true;
        else if (found !== undefined) return found;
      }
    }
    return undecided ? UNDECIDED : undefined;
  }

  #findBetween(
    pairs: readonly (readonly Pattern[])[],
    resources: readonly [BoundResource, BoundResource],
    obstacles: readonly BoundRule[],
  ): Point | undefined | typeof UNDECIDED {
    const inTheWay = obstacles.filter((rule) =>
      rule.resources.some((one) => resources.every((resource) => resourcesMayMeet(one, resource))),
    );
    let undecided = false;
    for (const actions of pairs) {
      const near = inTheWay.filter((rule) =>
        rule.actions.some((one) => actions.every((action) => one.mayMeet(action))),
      );
      const found = isCovered(actions, resources, near)
        ? undefined
        : this.#findAround(actions, resources, near);
      if (found === UNDECIDED) undecided = true;
      else if (found !== undefined) return found;
    }
    return undecided ? UNDECIDED : undefined;
  }

  #findAround(
    actions: readonly Pattern[],
    resources: readonly [BoundResource, BoundResource],
    obstacles: readonly BoundRule[],
  ): Point | undefined | typeof UNDECIDED {
    const patterns = [...new Set(obstacles.flatMap((one) => one.actions))];
    const matches = this.#memory.leastMatches(
      actions.map(({ text }) => text),
      patterns.map(({ text }) => text),
    );
    if (matches === UNDECIDED) return UNDECIDED;
    let undecided = false;
    for (const { text, matched } of matches) {
      const met = new Set(matched.map((index) => patterns[index]));
      const active = obstacles.filter((one) => one.actions.some((pattern) => met.has(pattern)));
      const resource = this.#findResource(resources, active);
      if (resource === UNDECIDED) undecided = true;
      else if (resource !== undefined) return { action: text, resource };
    }
    return undecided ? UNDECIDED : undefined;
  }

  #findResource(
    [left, right]: readonly [BoundResource, BoundResource],
    obstacles: readonly BoundRule[],
  ): string | undefined | typeof UNDECIDED {
    const avoided = obstacles.flatMap(({ resources }) => resources);
    if (avoided.some(({ any }) => any)) return undefined;
    const arn = left.any ? right : left;
    // No ARN pattern matches a required `*`, so if only `*` is possible, there is nothing else to try.
    if (arn.any) return "*";
    const inside = [left, right].flatMap((one) => (one.any ? [] : [one.text.text]));
    const outside = avoided.flatMap((one) => (!one.any && isSameField(one, arn) ? [one.text.text] : []));
    const text = this.#memory.findText([...new Set(inside)], [...new Set(outside)]);
    if (text === undefined || text === UNDECIDED) return text;
    const { service, account } = arn;
    return formatArn({ partition: this.#partition, service, region: "", account, resource: text });
  }
}

/** True if one rule covers everything. */
function isCovered(
  actions: readonly Pattern[],
  resources: readonly BoundResource[],
  rules: readonly BoundRule[],
): boolean {
  return rules.some(
    (rule) =>
      rule.actions.some((wide) => actions.some((action) => wide.covers(action))) &&
      rule.resources.some((wide) => resources.some((resource) => resourceCovers(wide, resource))),
  );
}
