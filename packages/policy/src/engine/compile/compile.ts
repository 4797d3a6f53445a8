/**
 * The compiled policies of one user, composed of sets (spec/evaluation §2). All users who have a set share it; a user
 * only holds references. A decision looks into each set. A refusal names the first deny in evaluation order, whichever
 * set contains it.
 */

import type { NamedStatements } from "../../model/policy.ts";
import { compareUtf8 } from "../../model/utf8-order.ts";
import type { Evaluator } from "../conditions/conditions.ts";
import { type ConditionsAsked, NO_STATEMENT } from "../matching/matches.ts";
import { MOST_LATER } from "../matching/set-filter.ts";
import { type CompiledStatement, StatementPool } from "../statement.ts";
import { finish, STEP_UNITS, type Steps } from "../work.ts";
import { type CompiledPolicy, compilePolicyInSteps } from "./compiled-policy.ts";
import { type PolicySet, policySetInSteps } from "./policy-set.ts";
import { SetFilters } from "./set-filters.ts";

/** Sets up to which a look-up looks into each. With more, a filter says which. */
const FEW_SETS = 4;

/** Settings of a compilation. */
export interface CompileOptions {
  /** The partition of every ARN (`authorizer.partition`). */
  readonly partition: string;
  readonly evaluator: Evaluator;
}

/** Sets of policies that decide together. */
export class CompiledPolicies {
  readonly options: CompileOptions;
  /** The common prefix of the ARNs of the partition. */
  readonly arnPrefix: string;
  /**
   * The sets. If there are several, evaluation order is the UTF-8 order of the names of their policies, which are
   * distinct except for a policy in several sets. A single set may have any order and any names.
   */
  readonly sets: readonly PolicySet[];
  /** Number of statements; a policy in several sets counts in each. */
  readonly size: number;
  /** True when some statement has a condition, so that the condition fields of a request matter. */
  readonly readsContext: boolean;
  /** True when a condition reads attributes of the resource (`resource.X`). */
  readonly readsResource: boolean;
  /** True when the evaluation of some statement can fail. */
  readonly canFail: boolean;
  /** True when some statement has a member that this version does not know, which denies everything, lists too. */
  readonly hasUnknownMember: boolean;
  /** Say which sets a look-up has to look into; undefined for few sets, which are all looked into. */
  readonly filters: SetFilters | undefined;
  readonly #fallible: readonly PolicySet[];

  /**
   * @param sets see {@link sets}
   * @param earlier a composition of nearly the same sets, whose filters are changed instead of made anew; any other has no
   *   effect
   */
  constructor(options: CompileOptions, sets: readonly PolicySet[], earlier?: CompiledPolicies) {
    this.options = options;
    this.arnPrefix = `arn:${options.partition}:`;
    this.sets = sets;
    let size = 0;
    let readsContext = false;
    let readsResource = false;
    let hasUnknownMember = false;
    const fallible: PolicySet[] = [];
    for (const set of sets) {
      size += set.size;
      readsContext ||= set.readsContext;
      readsResource ||= set.readsResource;
      hasUnknownMember ||= set.hasUnknownMember;
      if (set.canFail) fallible.push(set);
    }
    this.size = size;
    this.readsContext = readsContext;
    this.readsResource = readsResource;
    this.hasUnknownMember = hasUnknownMember;
    this.#fallible = fallible;
    this.canFail = fallible.length > 0;
    this.filters = sets.length > FEW_SETS ? filtersOf(sets, earlier) : undefined;
  }

  /** The policies in evaluation order, each once. Made anew at each call. */
  get policies(): readonly CompiledPolicy[] {
    if (this.sets.length === 1) return (this.sets[0] as PolicySet).policies;
    const byName = new Map(this.sets.flatMap((set) => set.policies).map((one) => [one.source.name, one]));
    return [...byName.values()].sort((a, b) => compareUtf8(a.source.name, b.source.name));
  }

  /** The statements in evaluation order. Made anew at each call. */
  get statements(): readonly CompiledStatement[] {
    return this.policies.flatMap(({ statements }) => statements);
  }

  /** True when a statement of effect exactly `allow` has the action, whatever its resource (spec/evaluation §10). */
  passesGate(action: string): boolean {
    if (this.hasUnknownMember) return false;
    return (
      this.filters?.of(action).isOpening ??
      this.sets.some((set) => set.indexOf(action).opener !== NO_STATEMENT)
    );
  }

  /** The first statement that makes {@link passesGate} true; undefined where none does. Remembered with the index of the action. */
  gateOpener(action: string): CompiledStatement | undefined {
    const openers = this.filters?.of(action).openers;
    let first: CompiledStatement | undefined;
    for (const [position, set] of this.sets.entries()) {
      const opener = openers?.[position] ?? set.indexOf(action).opener;
      if (opener !== NO_STATEMENT) first = this.earlier(first, set.statementAt(opener));
    }
    return first;
  }

  /** The statements whose evaluation can fail, in order. A failure denies everything. */
  get fallible(): readonly CompiledStatement[] {
    return this.#merged((set) => set.fallible);
  }

  /** The statements that match an action, in evaluation order, found without the indexes. */
  statementsMatching(action: string): readonly CompiledStatement[] {
    return finish(this.statementsMatchingInSteps(action));
  }

  /** As {@link statementsMatching}, in steps. */
  *statementsMatchingInSteps(action: string): Steps<readonly CompiledStatement[]> {
    const found: (readonly CompiledStatement[])[] = [];
    for (const set of this.sets) found.push(yield* set.statementsMatchingInSteps(action));
    return yield* mergedInSteps(found);
  }

  #merged(of: (set: PolicySet) => readonly CompiledStatement[]): readonly CompiledStatement[] {
    return finish(mergedInSteps(this.sets.map(of)));
  }

  /** The first statement whose evaluation fails for these results. */
  firstFailure(asked: ConditionsAsked): CompiledStatement | undefined {
    if (!this.canFail) return undefined;
    let first: CompiledStatement | undefined;
    for (const set of this.#fallible) {
      const order = set.firstFailure(asked);
      if (order !== NO_STATEMENT) first = this.earlier(first, set.statementAt(order));
    }
    return first;
  }

  /** The first of two statements in evaluation order; `a` if they are the same. */
  earlier(a: CompiledStatement | undefined, b: CompiledStatement): CompiledStatement {
    if (a === undefined || a === b) return b;
    if (this.sets.length > 1) return byNameAndIndex(a, b) <= 0 ? a : b;
    if (a.policy === b.policy) return a.index <= b.index ? a : b;
    const first = this.sets[0]?.policies.find(({ source }) => source === a.policy || source === b.policy);
    return first?.source === a.policy ? a : b;
  }
}

function filtersOf(sets: readonly PolicySet[], earlier: CompiledPolicies | undefined): SetFilters {
  const changed = earlier && changedPlaces(earlier.sets, sets);
  return new SetFilters(sets, changed && earlier.filters, changed);
}

/**
 * The places in which two lists of sets differ; undefined if there are more of them than
 * {@link MOST_LATER}, or the lists have different lengths.
 */
export function changedPlaces(
  before: readonly PolicySet[],
  after: readonly PolicySet[],
): readonly number[] | undefined {
  if (before.length !== after.length) return undefined;
  const places: number[] = [];
  for (let place = 0; place < after.length; place++) {
    if (before[place] === after[place]) continue;
    if (places.length === MOST_LATER) return undefined;
    places.push(place);
  }
  return places;
}

/** Units of work of a comparison of two statements. */
const PER_COMPARISON = 100;

/**
 * Merges lists in evaluation order into one. A statement that is in several is once in the result. Each look at a list is a
 * comparison, so that many lists are merged by halves.
 */
function* mergedInSteps(
  lists: readonly (readonly CompiledStatement[])[],
): Steps<readonly CompiledStatement[]> {
  if (lists.length <= 1) return lists[0] ?? [];
  const half = lists.length >> 1;
  const a = yield* mergedInSteps(lists.slice(0, half));
  const b = yield* mergedInSteps(lists.slice(half));
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged: CompiledStatement[] = [];
  let work = 0;
  for (let [left, right] = [0, 0]; left < a.length || right < b.length; ) {
    const [one, other] = [a[left], b[right]];
    const order = one === undefined ? 1 : other === undefined ? -1 : byNameAndIndex(one, other);
    merged.push((order <= 0 ? one : other) as CompiledStatement);
    if (order <= 0) left++;
    if (order >= 0) right++;
    work += PER_COMPARISON;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  return merged;
}

function byNameAndIndex(a: CompiledStatement, b: CompiledStatement): number {
  return a.policy === b.policy
    ? a.index - b.index
    : compareUtf8(a.policy.name, b.policy.name) || a.index - b.index;
}

/** Compiles policies into one set, step by step; the order of policies and statements is kept. */
export function* compileInSteps(
  policies: readonly NamedStatements[],
  options: CompileOptions,
): Steps<CompiledPolicies> {
  const pool = new StatementPool(options.evaluator);
  const compiled: CompiledPolicy[] = [];
  for (const policy of policies) compiled.push(yield* compilePolicyInSteps(policy, pool));
  return new CompiledPolicies(options, [yield* policySetInSteps(compiled, options.partition)]);
}

/** Compiles policies at once. */
export function compile(policies: readonly NamedStatements[], options: CompileOptions): CompiledPolicies {
  return finish(compileInSteps(policies, options));
}
