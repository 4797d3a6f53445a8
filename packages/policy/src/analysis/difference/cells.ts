/**
 * The access that one side has and the other has not, as cells: one class of actions on one pattern of resources, under
 * conditions, minus exceptions. A request is in the difference exactly if it is in some cell.
 *
 * With A the allows after, D the denies after, B the allows before and E the denies before, the gain is
 * (A ∖ D) ∖ (B ∖ E), which is (A ∖ D ∖ B) ∪ ((A ∩ E) ∖ D). An allow that both sides have adds nothing to the first part,
 * a deny that both sides have nothing to the second: only what changed is looked at.
 */

import type { Implications } from "../compare/condition-implication.ts";
import { PatternIndex } from "../compare/pattern-index.ts";
import { findText, type SearchBudget, UNDECIDED } from "../compare/pattern-language.ts";
import type { Pattern, Patterns } from "../compare/pattern-positions.ts";
import type { Rule } from "../compare/rules.ts";
import type { ActionAtoms } from "./action-atoms.ts";
import { intersection } from "./intersection.ts";
import type { SideUnits, Unit } from "./rule-units.ts";

/** A region of resources in which access may be gained, for the actions of its rules. */
export interface Base {
  readonly resource: Pattern;
  /** Rules whose conditions must hold: an allow, and for access that was denied before also that deny. */
  readonly allow: Rule;
  readonly deny?: Rule;
}

/** Bases of the same resources and conditions, with what is gained in them. */
export interface Region {
  readonly resource: Pattern;
  readonly allows: readonly Rule[];
  readonly denies: readonly Rule[];
  /** Class of actions → exceptions to it. */
  readonly cells: Map<number, readonly Unit[]>;
  /** Class of actions that is not in the cells → the exceptions with which it is true of the resource as well. */
  readonly others: Map<number, readonly Unit[]>;
  /** Allows of before that were denied here, and so are no exceptions. */
  readonly denied: readonly Unit[];
  /** True if the search could not find out whether something is left. */
  undecided: boolean;
}

/** Parts of the comparison. */
interface CellParts {
  readonly before: SideUnits;
  readonly after: SideUnits;
  readonly atoms: ActionAtoms;
  readonly patterns: Patterns;
  readonly implications: Implications;
  readonly budget: SearchBudget;
  /** True when the time is over. */
  readonly isOver: () => boolean;
}

/** All bases; `complete` is false where an intersection of patterns is too large, or the time is over. */
export function basesOf(
  before: SideUnits,
  after: SideUnits,
  patterns: Patterns,
  isOver: () => boolean,
): { readonly bases: readonly Base[]; readonly complete: boolean } {
  const bases: Base[] = after.changedAllows.map(({ rule, resource }) => ({ resource, allow: rule }));
  let complete = true;
  for (const deny of before.changedDenies) {
    if (isOver()) return { bases, complete: false };
    for (const allow of after.allows) {
      if (!allow.resource.mayMeet(deny.resource) || !actionsMayMeet(allow.rule, deny.rule, patterns))
        continue;
      const common = intersection(allow.resource.text, deny.resource.text, patterns);
      if (common === undefined) complete = false;
      for (const text of common ?? []) {
        bases.push({ resource: patterns.of(text), allow: allow.rule, deny: deny.rule });
      }
    }
  }
  return { bases, complete };
}

/** True if some action may match both rules. */
export function actionsMayMeet(one: Rule, other: Rule, patterns: Patterns): boolean {
  return one.actions.some((left) =>
    other.actions.some((right) => patterns.of(left).mayMeet(patterns.of(right))),
  );
}

function keyOf({ resource, allow, deny }: Base): string {
  return JSON.stringify([resource.text, allow.key ?? null, deny === undefined ? null : [deny.key ?? null]]);
}

/** Puts bases of the same resources and conditions together. */
export function groupsOf(bases: readonly Base[]): readonly (readonly [Base, ...Base[]])[] {
  const groups = new Map<string, [Base, ...Base[]]>();
  for (const base of bases) {
    const known = groups.get(keyOf(base));
    if (known === undefined) groups.set(keyOf(base), [base]);
    else known.push(base);
  }
  return [...groups.values()];
}

/** Units near a region. */
interface Near {
  /** Denies after. */
  readonly blocking: readonly Unit[];
  /** Allows before, and denies before. */
  readonly allowed: readonly Unit[];
  readonly denied: readonly Unit[];
}

/** The gain in a class of actions. */
interface Gained {
  readonly exceptions: readonly Unit[];
  readonly denied: readonly Unit[];
  readonly undecided: boolean;
}

type Left = { readonly blocked: readonly Unit[] } | Gained;

/** Classes of actions that one line can say. */
interface Part {
  readonly atoms: number[];
  /** Allows of before that were denied for some of them. */
  readonly denied: Set<Unit>;
  readonly exceptions: Set<Unit>;
}

/**
 * Sorts classes into as few parts as it finds. An allow of before that was denied for one class, and so is no exception
 * there, may be an exception for another class, or for one of the `blocking`: the two are then in different parts.
 */
function partsOf(gained: ReadonlyMap<number, Gained>, blocking: ReadonlySet<Unit>): readonly Part[] {
  const parts: Part[] = [];
  for (const [atom, { exceptions, denied }] of gained) {
    const isSame = (part: Part) =>
      denied.length === part.denied.size && denied.every((unit) => part.denied.has(unit));
    const isFree = (part: Part) =>
      ![...denied, ...part.denied].some((unit) => blocking.has(unit)) &&
      !denied.some((unit) => part.exceptions.has(unit)) &&
      !exceptions.some((unit) => part.denied.has(unit));
    const part = parts.find((one) => isSame(one) || isFree(one)) ?? {
      atoms: [],
      denied: new Set(),
      exceptions: new Set(),
    };
    if (part.atoms.length === 0) parts.push(part);
    part.atoms.push(atom);
    for (const unit of denied) part.denied.add(unit);
    for (const unit of exceptions) part.exceptions.add(unit);
  }
  return parts;
}

/** Finds what is gained in groups of bases. */
export class Cells {
  readonly #parts: CellParts;
  readonly #atomsOf = new Map<Rule, ReadonlySet<number>>();
  readonly #blocking: PatternIndex<Unit>;
  readonly #allowed: PatternIndex<Unit>;
  readonly #denied: PatternIndex<Unit>;

  constructor(parts: CellParts) {
    this.#parts = parts;
    this.#blocking = new PatternIndex(parts.after.denies);
    this.#allowed = new PatternIndex(parts.before.allows);
    this.#denied = new PatternIndex(parts.before.denies);
  }

  /** The classes of actions of a rule. */
  atomsOf(rule: Rule): ReadonlySet<number> {
    const known = this.#atomsOf.get(rule);
    if (known !== undefined) return known;
    const found = new Set(rule.actions.flatMap((action) => [...this.#parts.atoms.of(action)]));
    this.#atomsOf.set(rule, found);
    return found;
  }

  /** True if the conditions of a region imply that of a rule. */
  implies(guards: readonly Rule[], wanted: Rule): boolean {
    if (wanted.key === undefined) return true;
    // A deny also holds where its condition cannot be read; an allow with the same condition does not.
    return guards.some((given) => given.deny <= wanted.deny && this.#parts.implications.holds(given, wanted));
  }

  /** The gain in a group of bases: more than one region only where the exceptions of classes contradict each other. */
  regionsOf(group: readonly [Base, ...Base[]]): readonly Region[] {
    const [{ resource, allow, deny }] = group;
    const guards = deny === undefined ? [allow] : [allow, deny];
    const all: Near = {
      blocking: this.#blocking.near(resource),
      allowed: deny === undefined ? this.#allowed.near(resource) : [],
      denied: deny === undefined ? this.#denied.near(resource) : [],
    };
    const ids = new Map([...all.blocking, ...all.allowed, ...all.denied].map((unit, id) => [unit, id]));
    const answers = new Map<string, Left>();
    const others = new Map<number, readonly Unit[]>();
    const gained = new Map<number, Gained>();
    for (const atom of this.#atomsOfGroup(group)) {
      const has = ({ rule }: Unit) => this.atomsOf(rule).has(atom);
      const here: Near = {
        blocking: all.blocking.filter(has),
        allowed: all.allowed.filter(has),
        denied: all.denied.filter(has),
      };
      const key = [...here.blocking, ...here.allowed, ...here.denied].map((unit) => ids.get(unit)).join();
      const left = answers.get(key) ?? this.#left(resource, guards, here);
      answers.set(key, left);
      if ("blocked" in left) others.set(atom, left.blocked);
      else gained.set(atom, left);
    }
    const parts = partsOf(gained, new Set([...others.values()].flat()));
    const everything = new Map([
      ...others,
      ...[...gained].map(([atom, { exceptions }]) => [atom, exceptions] as const),
    ]);
    return parts.map(({ atoms, denied }) => ({
      resource,
      allows: [...new Set(group.map((base) => base.allow))],
      denies: [...new Set(group.flatMap((base) => base.deny ?? []))],
      cells: new Map(atoms.map((atom) => [atom, (gained.get(atom) as Gained).exceptions])),
      others: everything,
      denied: [...denied],
      undecided: atoms.some((atom) => gained.get(atom)?.undecided),
    }));
  }

  #atomsOfGroup(group: readonly Base[]): ReadonlySet<number> {
    return new Set(
      group.flatMap(({ allow, deny }) => {
        const ofDeny = deny === undefined ? undefined : this.atomsOf(deny);
        return [...this.atomsOf(allow)].filter((atom) => ofDeny?.has(atom) ?? true);
      }),
    );
  }

  /** The exceptions to a region for one class of actions, or the rules that leave nothing of it. */
  #left(resource: Pattern, guards: readonly Rule[], near: Near): Left {
    const isFull = ({ rule }: Unit) => this.implies(guards, rule);
    const denying = near.denied.filter(isFull);
    const blockingFully = near.blocking.filter(isFull);
    const denied = near.allowed.filter((unit) => this.#isDenied(resource, unit, denying, blockingFully));
    const blockers = [...near.blocking, ...near.allowed.filter((unit) => !denied.includes(unit))];
    const full = blockers.filter(isFull);
    const whole = full.find((unit) => unit.resource.covers(resource));
    if (whole !== undefined) return { blocked: [whole] };
    const found = this.#find([resource], full);
    if (found === undefined) return { blocked: this.#pruned(resource, guards, full) };
    return {
      exceptions: this.#pruned(resource, guards, blockers),
      denied,
      undecided: found === UNDECIDED,
    };
  }

  /** True if what an allow of before allows here was denied. */
  #isDenied(resource: Pattern, unit: Unit, denied: readonly Unit[], blocking: readonly Unit[]): boolean {
    if (denied.length === 0) return false;
    return this.#find([resource, unit.resource], [...denied, ...blocking]) === undefined;
  }

  /** The exceptions that matter, each not covered by the others. */
  #pruned(resource: Pattern, guards: readonly Rule[], blockers: readonly Unit[]): readonly Unit[] {
    let kept = [...blockers];
    for (const unit of blockers) {
      if (this.#parts.isOver()) return kept;
      const others = kept.filter(
        (one) => one !== unit && (this.implies(guards, one.rule) || this.implies([unit.rule], one.rule)),
      );
      const isCovered =
        others.some((one) => one.resource.covers(unit.resource)) ||
        this.#find([resource, unit.resource], others) === undefined;
      if (isCovered) kept = kept.filter((one) => one !== unit);
    }
    return kept;
  }

  #find(inside: readonly Pattern[], outside: readonly Unit[]): string | undefined | typeof UNDECIDED {
    return this.find(
      inside.map(({ text }) => text),
      outside.map(({ resource }) => resource.text),
    );
  }

  /** {@link findText} within the budget. */
  find(inside: readonly string[], outside: readonly string[]): string | undefined | typeof UNDECIDED {
    return findText([...new Set(inside)], [...new Set(outside)], this.#parts.budget);
  }
}
