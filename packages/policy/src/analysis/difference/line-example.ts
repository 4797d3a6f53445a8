/** Requests that show a line: if possible, a known action on a resource of its own kind. */

import { bindUser } from "../../engine/patterns/resource-pattern.ts";
import type { Condition } from "../../model/policy.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import type { Confirmation, Counterexample } from "../compare/counterexample.ts";
import { UNDECIDED } from "../compare/pattern-language.ts";
import type { Rule } from "../compare/rules.ts";
import type { ActionAtoms } from "./action-atoms.ts";
import type { Cells, Region } from "./cells.ts";
import { byReach } from "./reach.ts";
import { guardsOf } from "./redundant.ts";
import { patternOf, resourceOf } from "./resource-texts.ts";
import type { Unit } from "./rule-units.ts";

/** Parts of the search for examples. */
interface ExampleParts {
  readonly partition: string;
  readonly vocabulary: Partial<Vocabulary>;
  readonly atoms: ActionAtoms;
  readonly cells: Cells;
  readonly confirmation: Confirmation;
  /** The name that stands for the user. */
  readonly user: string;
}

/** A request of a region; `confirmed` if the engine decides it differently on both sides. */
export interface FoundExample {
  readonly action: string;
  readonly resource: string;
  readonly possible: boolean;
  readonly confirmed?: Counterexample;
}

/** Most known actions that are tried for one line. */
const MOST_TRIED = 12;
const EVERYTHING = "*";
/** A value of an ARN's form. */
const VALUE = /\{[^{}]*\}/g;

/** Finds a request of a region. */
export function exampleOf(region: Region, parts: ExampleParts): FoundExample | undefined {
  const { atoms } = parts;
  const named = [...region.cells].flatMap(([atom, units]) =>
    (atoms.all[atom]?.names ?? []).map((name) => ({ name, units })),
  );
  named.sort((a, b) => byReach(a.name, b.name));
  let first: FoundExample | undefined;
  for (const { name, units } of named.slice(0, MOST_TRIED)) {
    for (const kind of parts.vocabulary.actions?.get(name)?.resources ?? []) {
      const resource = resourceOfKind(region, kind, units, parts);
      if (resource === undefined) continue;
      const found = confirmed(region, units, { action: name, resource, possible: true }, parts);
      if (found.confirmed !== undefined) return found;
      first ??= found;
    }
  }
  return first ?? anyExample(region, parts);
}

function resourceOfKind(
  { resource }: Region,
  kind: string,
  units: readonly Unit[],
  { vocabulary, partition, cells, user }: ExampleParts,
): string | undefined {
  const outside = units.map((unit) => unit.resource.text);
  if (kind === EVERYTHING)
    return resource.text === EVERYTHING && !outside.includes(EVERYTHING) ? EVERYTHING : undefined;
  const type = vocabulary.resourceTypes?.get(kind);
  const pattern = type && patternOf(type.arn.replace(VALUE, "?*"), partition);
  if (type === undefined || pattern === undefined) return undefined;
  // A resource of a kind that lies below this one is none of this kind.
  const below = [...(vocabulary.resourceTypes?.values() ?? [])]
    .filter(({ arn }) => arn.startsWith(`${type.arn}/`))
    .flatMap(({ arn }) => patternOf(arn.replace(VALUE, "*"), partition) ?? []);
  // A key that ends in a slash is possible and looks like a mistake.
  for (const left of [[...outside, "*/"], outside, fullOnly(units)]) {
    const found = cells.find([resource.text, pattern], [...left, ...below]);
    if (typeof found === "string") return bindUser(resourceOf(found, partition), user);
  }
  return undefined;
}

/** The exceptions without those that depend on a condition. */
function fullOnly(units: readonly Unit[]): readonly string[] {
  return units.filter(({ rule }) => rule.key === undefined).map((unit) => unit.resource.text);
}

function anyExample(region: Region, parts: ExampleParts): FoundExample | undefined {
  const [first] = region.cells;
  if (first === undefined) return undefined;
  const [atom, units] = first;
  const action = parts.atoms.all[atom]?.example;
  const outside = units.map((unit) => unit.resource.text);
  let text = parts.cells.find([region.resource.text], outside);
  if (text === undefined) text = parts.cells.find([region.resource.text], fullOnly(units));
  if (action === undefined || text === undefined || text === UNDECIDED) return undefined;
  const resource = bindUser(resourceOf(text, parts.partition), parts.user);
  return confirmed(region, units, { action, resource, possible: false }, parts);
}

function confirmed(
  region: Region,
  units: readonly Unit[],
  found: FoundExample,
  { confirmation, user }: ExampleParts,
): FoundExample {
  const rules: readonly Rule[] = [...guardsOf(region), ...units.map(({ rule }) => rule)];
  const conditions = rules.flatMap(({ reads }): Condition[] => (reads === undefined ? [] : [reads]));
  const { action, resource } = found;
  const answer = confirmation.at(user, { action, resource }, conditions, () => true);
  return answer === undefined ? found : { ...found, confirmed: answer };
}
