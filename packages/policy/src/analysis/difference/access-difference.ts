/**
 * Compares two sets of policies: everything that the second allows and the first does not, and the reverse, as lists of
 * lines that are exact together. Conditions are compared as far as one is proven to imply another.
 */

import { type CompiledPolicies, compile } from "../../engine/compile/compile.ts";
import { bindUser } from "../../engine/patterns/resource-pattern.ts";
import type { NamedStatements } from "../../model/policy.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { Implications } from "../compare/condition-implication.ts";
import { Confirmation } from "../compare/counterexample.ts";
import { PatternIndex } from "../compare/pattern-index.ts";
import { SearchBudget, UNDECIDED } from "../compare/pattern-language.ts";
import { Patterns } from "../compare/pattern-positions.ts";
import { type Rule, type RuleSet, rulesOf } from "../compare/rules.ts";
import { representativeNames } from "../compare/user-names.ts";
import { type Gate, gatesOf, newlyOpened, openedBy } from "../gates.ts";
import { ActionAtoms } from "./action-atoms.ts";
import { actionsMayMeet, type Base, basesOf, Cells, groupsOf, type Region } from "./cells.ts";
import type { AccessDifference, DifferenceLine } from "./line.ts";
import { exampleOf, type FoundExample } from "./line-example.ts";
import { byReachOfLine } from "./reach.ts";
import { withoutRedundant } from "./redundant.ts";
import { lineOf } from "./region-line.ts";
import { type SideUnits, type Unit, unitsOf } from "./rule-units.ts";
import { specialNames } from "./special-users.ts";

/** Settings of a comparison. */
interface DifferenceOptions {
  readonly partition: string;
  /** Finds possible requests, and counts known actions. */
  readonly vocabulary: Partial<Vocabulary>;
  /** The user for whom the policies are in force; default: any user. */
  readonly user?: string;
  /** The user of examples, where the policies are in force for any user; default: a made-up name. */
  readonly exampleUser?: string;
  /** Most lines in each direction; default 1,000. */
  readonly limit?: number;
  /** Milliseconds of CPU; default 4,000. The last search may take one second more. */
  readonly patience?: number;
}

const LIMIT = 1_000;
const PATIENCE_MS = 4_000;
/** The part of it after which losses get their turn, if gains are not all found. */
const PART_OF_GAINS = 0.75;
/** The clock is read for one of so many calls. */
const CALLS_OF_CLOCK = 16;
/** Most users whose names policies spell that are compared apart. */
const MOST_USERS = 8;
const EVERYTHING = "*";
/** Steps of the searches in patterns for both directions. */
const STEPS = 40_000_000;
const TOO_MUCH = {
  gains: "it takes too long: not everything that may be gained was compared",
  losses: "it takes too long: not everything that may be lost was compared",
} as const;
const NAMES_IN_RESOURCES =
  "policies with ${user} may mean something else for users whose names stand in resources: compare for one user";

/** Compares two sets of policies. */
export function accessDifference(
  before: readonly NamedStatements[],
  after: readonly NamedStatements[],
  options: DifferenceOptions,
): AccessDifference {
  const { limit = LIMIT, patience = PATIENCE_MS } = options;
  const isOver = deadlineOf(patience);
  const isOverFor = { gains: deadlineOf(patience * PART_OF_GAINS), losses: isOver };
  const comparison = new Comparison(before, after, options, isOverFor);
  const leftOut = new Set<string>();
  const listed = (lines: readonly DifferenceLine[], what: string) => {
    const sorted = [...lines].sort(byReachOfLine);
    const more = sorted.length - limit;
    if (more > 0) leftOut.add(`${more} more ${more === 1 ? "line" : "lines"} of access that is ${what}`);
    return sorted.slice(0, limit);
  };
  const gains = listed(comparison.lines("gains", leftOut), "gained");
  const losses = listed(comparison.lines("losses", leftOut), "lost");
  return { gains, losses, leftOut: [...leftOut] };
}

/** Tells when the thread has used so many milliseconds of CPU from now on. */
function deadlineOf(patience: number): () => boolean {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const until = used() + patience;
  let [calls, isOver] = [0, false];
  return () => {
    if (calls++ % CALLS_OF_CLOCK === 0) isOver ||= used() > until;
    return isOver;
  };
}

type Direction = "gains" | "losses";

class Comparison {
  readonly #policies: Readonly<
    Record<Direction, readonly [readonly NamedStatements[], readonly NamedStatements[]]>
  >;
  readonly #rules: Readonly<Record<Direction, readonly [RuleSet, RuleSet]>>;
  readonly #options: DifferenceOptions;
  readonly #isOver: Readonly<Record<Direction, () => boolean>>;
  readonly #patterns = new Patterns();
  readonly #implications = new Implications();
  readonly #budget = new SearchBudget();
  readonly #compiled = new Map<readonly NamedStatements[], CompiledPolicies>();

  constructor(
    before: readonly NamedStatements[],
    after: readonly NamedStatements[],
    options: DifferenceOptions,
    isOver: Readonly<Record<Direction, () => boolean>>,
  ) {
    const [old, now] = [rulesOf(before, options.partition), rulesOf(after, options.partition)];
    this.#policies = { gains: [before, after], losses: [after, before] };
    this.#rules = { gains: [old, now], losses: [now, old] };
    this.#options = options;
    this.#isOver = isOver;
    this.#budget.left = STEPS;
  }

  /** The lines of one direction. */
  lines(direction: Direction, leftOut: Set<string>): readonly DifferenceLine[] {
    const { user } = this.#options;
    const general = this.#linesFor(direction, user, leftOut);
    if (user !== undefined) return general;
    const { names, complete } = specialNames(this.#rules[direction], this.#patterns, MOST_USERS);
    const special = names.flatMap((name) => {
      const lines = this.#linesFor(direction, name, leftOut);
      return areSame(general, lines, name) ? [] : [{ name, lines }];
    });
    const own = special.flatMap(({ name, lines }) => lines.map((line) => ({ ...line, user: name })));
    const notFor = special.map(({ name }) => name);
    const others = notFor.length === 0 ? general : general.map((line) => ({ ...line, notFor }));
    const more = complete ? [] : [undecidedLine(NAMES_IN_RESOURCES)];
    return [...others, ...own, ...more];
  }

  #linesFor(direction: Direction, user: string | undefined, leftOut: Set<string>): readonly DifferenceLine[] {
    const { partition } = this.#options;
    const [old, now] = this.#rules[direction];
    const settings = { partition, user, patterns: this.#patterns };
    const [before, after] = [unitsOf(old, now, settings), unitsOf(now, old, settings)];
    const failures = before.changedFailures.map(failureLine);
    try {
      const areas = this.#areas(direction, before, after, user, leftOut);
      return [...areas, ...this.#lists(direction, areas, leftOut), ...failures];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [undecidedLine(error.message), ...failures];
    }
  }

  #areas(
    direction: Direction,
    before: SideUnits,
    after: SideUnits,
    user: string | undefined,
    leftOut: Set<string>,
  ): readonly DifferenceLine[] {
    const { partition, vocabulary } = this.#options;
    const isOver = this.#isOver[direction];
    const found = basesOf(before, after, this.#patterns, isOver);
    if (!found.complete) leftOut.add(TOO_MUCH[direction]);
    if (found.bases.length === 0) return [];
    const atoms = this.#atoms([before, after], found.bases, isOver);
    if (atoms === undefined) {
      leftOut.add(TOO_MUCH[direction]);
      return [];
    }
    const shared = { patterns: this.#patterns, implications: this.#implications, budget: this.#budget };
    const cells = new Cells({ before, after, atoms, ...shared, isOver });
    const regions: Region[] = [];
    const groups = groupsOf(found.bases);
    for (const group of groups) {
      if (isOver()) {
        leftOut.add(TOO_MUCH[direction]);
        break;
      }
      regions.push(...cells.regionsOf(group));
    }
    const kept = withoutRedundant(regions, cells, isOver);
    const all = this.#rules[direction].flatMap(({ allows, denies }) => [...allows, ...denies]);
    const [madeUp = "u"] = representativeNames(all).names;
    const name = user ?? this.#options.exampleUser ?? madeUp;
    const [old, now] = this.#policies[direction].map((side) => this.#compiledOf(side));
    const confirmation = new Confirmation(
      old as CompiledPolicies,
      now as CompiledPolicies,
      partition,
      vocabulary,
    );
    const parts = { partition, atoms, patterns: this.#patterns, cells };
    return kept.map((region) => {
      const line = lineOf(region, parts);
      if (isOver()) return line;
      const example = exampleOf(region, { ...parts, vocabulary, confirmation, user: name });
      return example === undefined ? line : withExample(line, example, name, confirmation);
    });
  }

  /** Compiled policies of one side: both directions and all users share them. */
  #compiledOf(side: readonly NamedStatements[]): CompiledPolicies {
    const { partition } = this.#options;
    const known = this.#compiled.get(side) ?? compile(side, { partition, evaluator: "extended" });
    this.#compiled.set(side, known);
    return known;
  }

  /** Classes of the actions of all rules that may have a part in the difference; undefined if the time is over. */
  #atoms(
    sides: readonly SideUnits[],
    bases: readonly Base[],
    isOver: () => boolean,
  ): ActionAtoms | undefined {
    const patterns = this.#patterns;
    const actions = new Set(bases.flatMap(({ allow, deny }) => [...allow.actions, ...(deny?.actions ?? [])]));
    const index = new PatternIndex(bases);
    const isNear = ({ rule, resource }: Unit) =>
      index.some(resource, (base) => actionsMayMeet(base.allow, rule, patterns));
    for (const { allows, denies } of sides) {
      for (const unit of [...allows, ...denies]) {
        if (isOver()) return undefined;
        if (unit.rule.actions.every((action) => actions.has(action)) || !isNear(unit)) continue;
        for (const action of unit.rule.actions) actions.add(action);
      }
    }
    const known = this.#options.vocabulary.actions?.keys() ?? [];
    return new ActionAtoms(actions, known, patterns, this.#budget);
  }

  /** The actions that may be asked for lists, and could not be before, as far as no area has them. */
  #lists(
    direction: Direction,
    areas: readonly DifferenceLine[],
    leftOut: Set<string>,
  ): readonly DifferenceLine[] {
    const [old, now] = this.#policies[direction];
    const before = openedBy(gatesOf(old));
    const listed = new Set(
      areas.flatMap(({ allowedBy }) => allowedBy.map((place) => `${place.policy} ${place.statement}`)),
    );
    const gates = gatesOf(now).filter(({ place }) => !listed.has(`${place.policy} ${place.statement}`));
    return sameActions(gates).flatMap(([gate, ...others]) => {
      if (this.#isOver[direction]()) {
        leftOut.add(TOO_MUCH[direction]);
        return [];
      }
      const action = newlyOpened(gate, before);
      if (action === undefined) return [];
      return [
        {
          ...BARE,
          kind: "list",
          actions: gate.actions,
          resource: EVERYTHING,
          certainty: action === UNDECIDED ? "undecided" : "certain",
          allowedBy: [gate, ...others].map(({ place }) => place),
        } as const,
      ];
    });
  }
}

/** Gates by their actions: those of a list open for the same. */
function sameActions(gates: readonly Gate[]): readonly (readonly [Gate, ...Gate[]])[] {
  const found = new Map<string, [Gate, ...Gate[]]>();
  for (const gate of gates) {
    const key = JSON.stringify([...gate.actions].sort());
    const known = found.get(key);
    if (known === undefined) found.set(key, [gate]);
    else known.push(gate);
  }
  return [...found.values()];
}

const BARE = {
  known: [],
  exceptions: [],
  conditions: [],
  comparison: { kind: "equal" },
  deniedBy: [],
} as const;

function undecidedLine(why: string): DifferenceLine {
  const area = { actions: [EVERYTHING], resource: EVERYTHING, allowedBy: [] };
  return { ...BARE, ...area, kind: "undecided", certainty: "undecided", why };
}

/** Everything that is allowed, where a statement of the other side cannot be evaluated and so denies everything. */
function failureLine({ place, malformed, reads }: Rule): DifferenceLine {
  const why =
    malformed === undefined
      ? "in requests for which its condition cannot be evaluated"
      : `in requests whose ${malformed} is no IP address`;
  return {
    ...BARE,
    kind: "failure",
    actions: [EVERYTHING],
    resource: EVERYTHING,
    conditions: reads === undefined ? [] : [reads],
    certainty: "possible",
    why,
    allowedBy: [],
    deniedBy: [place],
  };
}

function withExample(
  line: DifferenceLine,
  { action, resource, possible, confirmed }: FoundExample,
  user: string,
  confirmation: Confirmation,
): DifferenceLine {
  const example = { action, resource, user, possible, context: confirmed?.context ?? {} };
  if (confirmed === undefined) return { ...line, example };
  const { allowedBy, deniedBy } = confirmation.blame(confirmed);
  const denied = deniedBy.map(({ failed: _, ...place }) => place);
  return {
    ...line,
    example,
    certainty: line.certainty === "undecided" ? "undecided" : "certain",
    refused: confirmed.before === "deny" ? "deny" : "neutral",
    allowedBy: allowedBy.length === 0 ? line.allowedBy : allowedBy,
    deniedBy: denied.length === 0 ? line.deniedBy : denied,
  };
}

/** A text that is equal for lines about the same area. */
function areaText({ kind, actions, resource, exceptions, conditions }: DifferenceLine): string {
  return JSON.stringify([kind, actions, resource, exceptions, conditions]);
}

/** True if lines for any user say the same as those for one user. */
function areSame(general: readonly DifferenceLine[], own: readonly DifferenceLine[], name: string): boolean {
  const inText = JSON.stringify(name).slice(1, -1);
  const bound = new Set(general.map((line) => bindUser(areaText(line), inText)));
  return bound.size === own.length && own.every((line) => bound.has(areaText(line)));
}
