/** Removes from a list of regions what others of the list have as well. */

import { PatternIndex } from "../compare/pattern-index.ts";
import { UNDECIDED } from "../compare/pattern-language.ts";
import type { Rule } from "../compare/rules.ts";
import type { Cells, Region } from "./cells.ts";
import type { Unit } from "./rule-units.ts";

/** The conditions of a region. */
export function guardsOf({ allows: [allow], denies: [deny] }: Region): readonly Rule[] {
  return [allow, deny].filter((rule) => rule !== undefined);
}

/** The regions without the cells that other regions cover, the narrowest looked at first. */
export function withoutRedundant(regions: readonly Region[], cells: Cells, isOver: () => boolean): Region[] {
  const index = new PatternIndex(regions);
  const narrowest = [...regions].sort((a, b) => b.resource.text.length - a.resource.text.length);
  for (const region of narrowest) {
    for (const [atom, exceptions] of [...region.cells]) {
      if (isOver()) break;
      const others = index.near(region.resource).filter((other) => other !== region && other.cells.has(atom));
      if (isCovered(region, exceptions, others, atom, cells)) region.cells.delete(atom);
    }
  }
  return regions.filter((region) => region.cells.size > 0);
}

/** True if it is certain that the others, which may meet the region, have every resource of the cell. */
function isCovered(
  region: Region,
  exceptions: readonly Unit[],
  others: readonly Region[],
  atom: number,
  cells: Cells,
): boolean {
  const guards = guardsOf(region);
  const { resource } = region;
  const near = others.filter((other) => guardsOf(other).every((wanted) => cells.implies(guards, wanted)));
  if (near.length === 0) return false;
  // Where an exception depends on a condition, its region is not wholly outside.
  const outside = exceptions
    .filter(({ rule }) => cells.implies(guards, rule))
    .map((unit) => unit.resource.text);
  const inside = near.map((other) => other.resource.text);
  if (cells.find([resource.text], [...outside, ...inside]) !== undefined) return false;
  // What the others leave out must be left out here as well, or be in a third one.
  return near.every((other) =>
    (other.cells.get(atom) as readonly Unit[]).every((unit) => {
      const third = near.filter((one) => one !== other && isPlain(one, atom)).map((one) => one.resource.text);
      const found = cells.find(
        [resource.text, other.resource.text, unit.resource.text],
        [...outside, ...third],
      );
      return found === undefined && found !== UNDECIDED;
    }),
  );
}

function isPlain(region: Region, atom: number): boolean {
  return region.cells.get(atom)?.length === 0;
}
