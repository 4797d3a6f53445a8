/**
 * Compares two sets of policies and finds what the second allows and the first does not. The comparison is exact for
 * actions and ARNs, and the engine confirms each answer. Conditions are compared by their text: equal conditions hold
 * for the same requests, and different ones are independent unless one clearly implies the other. So the comparison
 * misses no widening, but one that depends on conditions may turn out to be impossible.
 */

import { isWildcardName } from "../../engine/patterns/resource-pattern.ts";
import type { Condition, NamedStatements } from "../../model/policy.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { type Gate, gatesOf, newlyOpened, openedBy } from "../gates.ts";
import { Implications } from "./condition-implication.ts";
import { Confirmation, type Counterexample } from "./counterexample.ts";
import { UNDECIDED } from "./pattern-language.ts";
import { type Inside, type Point, PointSearch, SearchMemory } from "./point-search.ts";
import { type Rule, type RuleSet, rulesOf, ruleText, type StatementPlace } from "./rules.ts";
import { namesUser, representativeNames, spelledNames } from "./user-names.ts";

/** Settings of a comparison. */
export interface WideningOptions {
  /** Product-name part of ARNs (`authorizer.partition`). */
  readonly partition: string;
  /**
   * Names of the users to compare for. Default: any user. The comparison then tries a name that no policy has, and the
   * names for which a resource with `${user}` in an allow overlaps with a deny, or the reverse.
   */
  readonly users?: readonly string[];
  /** Makes counterexamples readable: known actions on resources of their kinds. */
  readonly vocabulary?: Partial<Vocabulary>;
  /** Most widenings to search for; default 100. */
  readonly limit?: number;
}

/**
 * The reason why a request is allowed now. `allow`: a new or wider allow. `deny`: a deny was removed or narrowed.
 * `failure`: a statement that could not be evaluated, and so denied everything, was removed or changed. `list`: the
 * gate of lists, which requires an action on any resource (spec/evaluation §10), is open now.
 */
type WideningCause = "allow" | "deny" | "failure" | "list";

/** One way in which access is wider. */
export interface Widening {
  /**
   * `certain`: there is a counterexample. `possible`: access at `point` is wider if conditions hold or fail together in
   * a way for which the search found no values. `undecided`: the search gave up; there may be a widening.
   */
  readonly certainty: "certain" | "possible" | "undecided";
  readonly cause: WideningCause;
  /** The statement that allows, among those after. */
  readonly allowedBy: StatementPlace;
  /** For "deny" and "failure": the statement before that denied. */
  readonly deniedBy?: StatementPlace;
  /** For whom: a made-up name stands for every user. */
  readonly user: string;
  /** True for a made-up name. */
  readonly anyUser: boolean;
  readonly point?: Point;
  /** Conditions that have to hold. */
  readonly conditions: readonly Condition[];
  readonly counterexample?: Counterexample;
}

const DEFAULT_LIMIT = 100;
/** Stands for a name, so that the placeholder matches every text except the empty one. */
const ANYBODY = "?*";

/**
 * The ways in which `after` allows more than `before`: one for each statement that allows and each that no longer
 * denies; at most `limit`. If the list is empty, `before` allows everything that `after` allows. Delegated
 * administration asks the same question (spec/security §3.5): `before` is what the caller holds, `after` what the call would grant.
 */
export function widening(
  before: readonly NamedStatements[],
  after: readonly NamedStatements[],
  options: WideningOptions,
): Widening[] {
  const comparison = new Comparison(before, after, options);
  const found: Widening[] = [];
  for (const one of comparison.widenings()) {
    found.push(one);
    if (found.length >= (options.limit ?? DEFAULT_LIMIT)) break;
  }
  return found;
}

function isSamePlace(one: StatementPlace, other: StatementPlace): boolean {
  return one.policy === other.policy && one.statement === other.statement;
}

function isAmong(place: StatementPlace, places: readonly StatementPlace[]): boolean {
  return places.some((one) => isSamePlace(one, place));
}

class Comparison {
  readonly #before: RuleSet;
  readonly #after: RuleSet;
  readonly #openBefore: ReadonlySet<string>;
  readonly #gatesAfter: readonly Gate[];
  readonly #options: WideningOptions;
  readonly #confirmation: Confirmation;
  readonly #implications = new Implications();
  /** Users that no policy names. */
  readonly #madeUp: readonly string[];
  readonly #allLengths: boolean;
  readonly #memory = new SearchMemory();
  readonly #searches = new Map<string, PointSearch>();
  /** Denies of before that are missing or changed after. */
  readonly #gone: readonly Rule[];
  readonly #lost = new Map<string, Map<Rule, boolean>>();

  constructor(
    before: readonly NamedStatements[],
    after: readonly NamedStatements[],
    options: WideningOptions,
  ) {
    const { partition, vocabulary } = options;
    this.#options = options;
    this.#before = rulesOf(before, partition);
    this.#after = rulesOf(after, partition);
    const kept = new Set(this.#after.denies.map(ruleText));
    this.#gone = this.#before.denies.filter((deny) => !kept.has(ruleText(deny)));
    this.#openBefore = openedBy(gatesOf(before));
    this.#gatesAfter = gatesOf(after);
    this.#confirmation = new Confirmation(before, after, partition, vocabulary);
    const { names, complete } = representativeNames(this.#allRules());
    this.#madeUp = names;
    this.#allLengths = complete;
  }

  #allRules(): readonly Rule[] {
    return [this.#before, this.#after].flatMap(({ allows, denies }) => [...allows, ...denies]);
  }

  *widenings(): Generator<Widening> {
    const known = new Set(this.#before.allows.map(ruleText));
    const widerOn = new Set<string>();
    for (const allow of this.#after.allows) {
      for (const one of this.#widerBy(allow, known.has(ruleText(allow)))) {
        widerOn.add(JSON.stringify(allow.place));
        yield one;
      }
    }
    for (const gate of this.#gatesAfter) {
      if (!widerOn.has(JSON.stringify(gate.place))) yield* this.#openedBy(gate);
    }
  }

  *#widerBy(allow: Rule, isKnown: boolean): Generator<Widening> {
    const found = isKnown ? undefined : this.#lookAlone(allow);
    if (found !== undefined) yield found;
    yield* this.#widerWithout(allow);
  }

  /** Searches where no allow of before matches. */
  #lookAlone(allow: Rule): Widening | undefined {
    const { users } = this.#options;
    const own = namesUser(allow);
    for (const user of users ?? (own ? this.#madeUp : this.#madeUp.slice(0, 1))) {
      const found = this.#look(user, [allow]);
      if (found !== undefined) return found;
    }
    const allTried = users !== undefined || !own || this.#allLengths;
    return allTried ? undefined : this.#report("undecided", [allow], this.#madeUp[0] as string);
  }

  /** Searches where a deny or a failure of before overruled what `allow` allows. */
  *#widerWithout(allow: Rule): Generator<Widening> {
    for (const deny of this.#gone) {
      const found = this.#lookWithout(allow, deny);
      if (found !== undefined) yield found;
    }
  }

  #lookWithout(allow: Rule, deny: Rule): Widening | undefined {
    const { users } = this.#options;
    if (users !== undefined) return this.#lookFor(users, allow, deny);
    const personal = namesUser(allow) || namesUser(deny);
    if (!personal) return this.#lookFor(this.#madeUp.slice(0, 1), allow, deny);
    if (!this.#mayMeetForSomebody(allow, deny)) return undefined;
    return (
      this.#lookFor(this.#madeUp, allow, deny) ??
      this.#lookFor(spelledNames(allow, deny, this.#madeUp), allow, deny) ??
      this.#report("undecided", [allow, deny], this.#madeUp[0] as string)
    );
  }

  #lookFor(users: readonly string[], allow: Rule, deny: Rule): Widening | undefined {
    for (const user of users) {
      if (!this.#searchFor(user).mayMeet(allow, deny) || !this.#isLost(user, deny)) continue;
      const found = this.#look(user, [allow, deny]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * False only if no user exists for whom the two overlap where after denies nothing. Every placeholder stands for any
   * text, and obstacles that depend on the user are ignored.
   */
  #mayMeetForSomebody(allow: Rule, deny: Rule): boolean {
    const search = this.#searchFor(ANYBODY);
    if (!search.mayMeet(allow, deny) || !this.#madeUp.some((user) => this.#isLost(user, deny))) return false;
    const obstacles = this.#after.denies.filter(
      (rule) => !namesUser(rule) && [allow, deny].some((given) => this.#implications.holds(given, rule)),
    );
    return search.find([allow, deny], obstacles) !== undefined;
  }

  /** False if a single deny of after covers the deny for this user. */
  #isLost(user: string, deny: Rule): boolean {
    const answers = this.#lost.get(user) ?? new Map<Rule, boolean>();
    this.#lost.set(user, answers);
    const known = answers.get(deny);
    if (known !== undefined) return known;
    const search = this.#searchFor(user);
    const lost = !this.#after.denies.some(
      (one) => this.#implications.holds(deny, one) && search.covers(one, deny),
    );
    answers.set(deny, lost);
    return lost;
  }

  #searchFor(user: string): PointSearch {
    const known = this.#searches.get(user) ?? new PointSearch(user, this.#options.partition, this.#memory);
    this.#searches.set(user, known);
    return known;
  }

  /** The allows of before; without those that contain `${user}` for a name with wildcards (spec/security §3.1). */
  #allowsFor(user: string): readonly Rule[] {
    const { allows } = this.#before;
    return isWildcardName(user) ? allows.filter((rule) => !namesUser(rule)) : allows;
  }

  /** Searches a point that `inside` matches: first one that depends on no condition, then any. */
  #look(user: string, inside: Inside): Widening | undefined {
    const search = this.#searchFor(user);
    const obstacles = [...(inside.length === 1 ? this.#allowsFor(user) : []), ...this.#after.denies];
    const always = obstacles.filter((rule) => inside.some((given) => this.#implications.holds(given, rule)));
    if (inside.every(({ key }) => key === undefined)) {
      const plain = obstacles.filter(({ key, failure }) => key === undefined || !failure);
      const point = plain.length === always.length ? undefined : search.find(inside, plain);
      if (typeof point === "object") return this.#report("possible", inside, user, point);
    }
    const point = search.find(inside, always);
    if (point === UNDECIDED) return this.#report("undecided", inside, user);
    return point === undefined ? undefined : this.#report("possible", inside, user, point);
  }

  /** A widening; it is certain if the engine confirms it. */
  #report(certainty: "possible" | "undecided", [allow, deny]: Inside, user: string, point?: Point): Widening {
    const found = point === undefined ? undefined : this.#confirm(user, point, allow, deny);
    const behind =
      found === undefined
        ? ({
            cause: deny === undefined ? "allow" : deny.failure ? "failure" : "deny",
            allowedBy: allow.place,
            ...(deny === undefined ? {} : { deniedBy: deny.place }),
          } as const)
        : this.#behind(found, allow, deny);
    return {
      certainty: found === undefined ? certainty : "certain",
      ...behind,
      user,
      anyUser: this.#options.users === undefined && this.#madeUp.includes(user),
      ...(point === undefined ? {} : { point }),
      conditions: [allow.condition, deny?.condition].filter((condition) => condition !== undefined),
      ...(found === undefined ? {} : { counterexample: found }),
    };
  }

  #confirm(user: string, point: Point, allow: Rule, deny: Rule | undefined): Counterexample | undefined {
    const search = this.#searchFor(user);
    const near = this.#allRules().filter((rule) => rule.reads !== undefined && search.matches(rule, point));
    const conditions = [allow, ...(deny === undefined ? [] : [deny]), ...near]
      .map(({ reads }) => reads)
      .filter((condition) => condition !== undefined);
    const fits = (found: Counterexample): boolean => {
      const { allowedBy, deniedBy } = this.#confirmation.blame(found);
      if (!isAmong(allow.place, allowedBy)) return false;
      return deny === undefined ? found.before === "neutral" : isAmong(deny.place, deniedBy);
    };
    const found = this.#confirmation.at(user, point, conditions, fits, deny?.malformed);
    return found === undefined
      ? undefined
      : this.#confirmation.readable(found, point, deny === undefined ? [allow] : [deny, allow], fits);
  }

  /** The statements that decide a counterexample: those of the search if they are among them, else others. */
  #behind(
    found: Counterexample,
    allow: Rule,
    deny: Rule | undefined,
  ): Pick<Widening, "cause" | "allowedBy" | "deniedBy"> {
    const { allowedBy, deniedBy } = this.#confirmation.blame(found);
    const denying = deniedBy.find((one) => deny !== undefined && isSamePlace(one, deny.place)) ?? deniedBy[0];
    const by = { allowedBy: isAmong(allow.place, allowedBy) ? allow.place : (allowedBy[0] ?? allow.place) };
    if (denying === undefined) return { cause: "allow", ...by };
    const { failed, ...place } = denying;
    return { cause: failed ? "failure" : "deny", ...by, deniedBy: place };
  }

  /** The gate of lists: some statement allows the action, whatever its resource and condition (spec/evaluation §10). */
  *#openedBy(gate: Gate): Generator<Widening> {
    const action = newlyOpened(gate, this.#openBefore);
    if (action === undefined) return;
    const [user = this.#madeUp[0] as string] = this.#options.users ?? [];
    const found =
      action === UNDECIDED
        ? undefined
        : this.#confirmation.ask(user, { any_resource: { action } }, new Map());
    yield {
      certainty: found === undefined ? "undecided" : "certain",
      cause: "list",
      allowedBy: gate.place,
      user,
      anyUser: this.#options.users === undefined,
      conditions: [],
      ...(found === undefined ? {} : { counterexample: found }),
    };
  }
}
