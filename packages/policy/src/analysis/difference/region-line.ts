/** The line of a region: its classes of actions as patterns, and its exceptions as they are written. */

import type { Patterns } from "../compare/pattern-positions.ts";
import type { Rule } from "../compare/rules.ts";
import type { ActionAtoms } from "./action-atoms.ts";
import type { Cells, Region } from "./cells.ts";
import { intersection } from "./intersection.ts";
import type { ConditionComparison, DifferenceLine, LineException } from "./line.ts";
import { guardsOf } from "./redundant.ts";
import { resourceOf } from "./resource-texts.ts";
import type { Unit } from "./rule-units.ts";

/** Parts that lines are made with. */
interface LineParts {
  readonly partition: string;
  readonly atoms: ActionAtoms;
  readonly patterns: Patterns;
  readonly cells: Cells;
}

/** The line of a region, without an example. */
export function lineOf(region: Region, parts: LineParts): DifferenceLine {
  const { atoms, partition, patterns } = parts;
  const gained = new Set(region.cells.keys());
  const { texts, more } = actionTexts(choicesOf(region, parts), gained, atoms);
  const units = new Set([...region.cells.values()].flat());
  for (const atom of more) for (const unit of region.others.get(atom) ?? []) units.add(unit);
  const isExact = !region.denied.some((unit) => units.has(unit));
  const guards = guardsOf(region);
  const conditions = guards.flatMap(({ condition }) => (condition === undefined ? [] : [condition]));
  return {
    kind: "area",
    actions: texts,
    resource: resourceOf(region.resource.text, partition),
    known: [...gained].flatMap((atom) => atoms.all[atom]?.names ?? []).sort(),
    exceptions: exceptionsOf([...units], texts, { partition, patterns, guards, cells: parts.cells }),
    conditions: distinct(conditions),
    comparison: comparisonOf(guards, [...units], region, parts.cells),
    certainty: region.undecided || !isExact ? "undecided" : "possible",
    allowedBy: distinct(region.allows.map(({ place }) => place)),
    deniedBy: distinct(region.denies.map(({ place }) => place)),
  };
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Patterns that stand together, and the classes that they match. */
interface Choice {
  readonly texts: readonly string[];
  readonly atoms: ReadonlySet<number>;
}

/** The patterns as written; where a deny must match as well, what both match. */
function choicesOf(
  { allows, denies }: Region,
  { atoms, patterns }: Pick<LineParts, "atoms" | "patterns">,
): readonly Choice[] {
  const written = (rules: readonly Rule[]) => [...new Set(rules.flatMap(({ actions }) => actions))];
  const own = written(allows);
  if (denies.length === 0) return own.map((text) => ({ texts: [text], atoms: atoms.of(text) }));
  return own.flatMap((left) =>
    written(denies).flatMap((right) => {
      const texts = intersection(left, right, patterns);
      if (texts === undefined) throw new RangeError("the patterns of actions have too much in common");
      const ofRight = atoms.of(right);
      return texts.length === 0
        ? []
        : [{ texts, atoms: new Set([...atoms.of(left)].filter((atom) => ofRight.has(atom))) }];
    }),
  );
}

/**
 * Patterns that together match the classes: those that match no other class, then names, and for names that are not
 * known a pattern that matches `more` classes, which exceptions must leave out.
 */
function actionTexts(
  choices: readonly Choice[],
  gained: ReadonlySet<number>,
  atoms: ActionAtoms,
): { readonly texts: readonly string[]; readonly more: ReadonlySet<number> } {
  const left = new Set(gained);
  const texts = new Set<string>();
  const more = new Set<number>();
  const gainOf = (choice: Choice) => [...choice.atoms].filter((atom) => left.has(atom)).length;
  const take = (choice: Choice): void => {
    for (const text of choice.texts) texts.add(text);
    for (const atom of choice.atoms) {
      left.delete(atom);
      if (!gained.has(atom)) more.add(atom);
    }
  };
  const takeAll = (candidates: readonly Choice[], isWanted: (choice: Choice) => boolean): void => {
    for (;;) {
      const [best] = candidates
        .filter(isWanted)
        .sort((a, b) => gainOf(b) - gainOf(a) || a.atoms.size - b.atoms.size);
      if (best === undefined) return;
      take(best);
    }
  };
  const isExact = (choice: Choice) => [...choice.atoms].every((atom) => gained.has(atom));
  takeAll(choices.filter(isExact), (choice) => gainOf(choice) > 0);
  const isUnnamed = (atom: number) => left.has(atom) && atoms.all[atom]?.names.length === 0;
  takeAll(choices, (choice) => [...choice.atoms].some(isUnnamed));
  for (const atom of left) for (const name of atoms.all[atom]?.names ?? []) texts.add(name);
  return { texts: [...texts], more };
}

function exceptionsOf(
  units: readonly Unit[],
  texts: readonly string[],
  {
    partition,
    patterns,
    guards,
    cells,
  }: Pick<LineParts, "partition" | "patterns" | "cells"> & { readonly guards: readonly Rule[] },
): readonly LineException[] {
  const found = new Map<string, { resource: string; condition: Rule["condition"]; actions: Set<string> }>();
  for (const { rule, resource } of units) {
    const actions = rule.actions.filter((action) =>
      texts.some((text) => patterns.of(text).mayMeet(patterns.of(action))),
    );
    const condition = cells.implies(guards, rule) ? undefined : rule.condition;
    const key = JSON.stringify([resource.text, condition ?? null]);
    const known = found.get(key) ?? {
      resource: resourceOf(resource.text, partition),
      condition,
      actions: new Set(),
    };
    for (const action of actions) known.actions.add(action);
    found.set(key, known);
  }
  return [...found.values()].map(({ resource, condition, actions }) => ({
    actions: [...actions],
    resource,
    ...(condition === undefined ? {} : { condition }),
  }));
}

/** The comparison of the conditions with those of allows on the other side that have the whole region. */
function comparisonOf(
  guards: readonly Rule[],
  units: readonly Unit[],
  { resource }: Region,
  cells: Cells,
): ConditionComparison {
  const others = units.filter(
    ({ rule, resource: one }) => !rule.deny && !cells.implies(guards, rule) && one.covers(resource),
  );
  const [first] = others;
  if (first === undefined) return { kind: guards.every(({ key }) => key === undefined) ? "equal" : "new" };
  const isWider = others.every(({ rule }) => guards.every((guard) => cells.implies([rule], guard)));
  if (isWider) return { kind: "wider" };
  return { kind: "incomparable", other: first.rule.condition ?? {} };
}
