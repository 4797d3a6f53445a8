/**
 * The compiled policies of one user, composed of sets (evaluation.md §2). All users who have a set share it; a user
 * only holds references. A decision looks into each set. A refusal names the first deny in evaluation order, whichever
 * set contains it.
 */

import type { NamedStatements } from "../../model/policy.ts";
import { compareUtf8 } from "../../model/utf8-order.ts";
import type { Evaluator } from "../conditions/conditions.ts";
import { type ConditionsAsked, NO_STATEMENT } from "../matching/matches.ts";
import { type CompiledStatement, StatementPool } from "../statement.ts";
import { finish, type Steps } from "../work.ts";
import { type CompiledPolicy, compilePolicyInSteps } from "./compiled-policy.ts";
import { type PolicySet, policySetInSteps } from "./policy-set.ts";

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

  constructor(options: CompileOptions, sets: readonly PolicySet[]) {
    this.options = options;
    this.arnPrefix = `arn:${options.partition}:`;
    this.sets = sets;
    this.size = sets.reduce((sum, { size }) => sum + size, 0);
    this.readsContext = sets.some((set) => set.readsContext);
    this.readsResource = sets.some((set) => set.readsResource);
    this.canFail = sets.some((set) => set.canFail);
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

  /** True when a statement of effect exactly `allow` has the action, whatever its resource (evaluation.md §10). */
  passesGate(action: string): boolean {
    return this.sets.some((set) => set.indexOf(action).passesGate);
  }

  /** The statements whose evaluation can fail, in order. A failure denies everything. */
  get fallible(): readonly CompiledStatement[] {
    return this.#merged((set) => set.fallible);
  }

  /** The statements that match an action, in evaluation order, found without the indexes. */
  statementsMatching(action: string): readonly CompiledStatement[] {
    return this.#merged((set) => set.statementsMatching(action));
  }

  /** As {@link statementsMatching}, in steps where there is one set. */
  *statementsMatchingInSteps(action: string): Steps<readonly CompiledStatement[]> {
    const [set] = this.sets;
    if (set === undefined || this.sets.length > 1) return this.statementsMatching(action);
    return yield* set.statementsMatchingInSteps(action);
  }

  #merged(of: (set: PolicySet) => readonly CompiledStatement[]): readonly CompiledStatement[] {
    if (this.sets.length === 1) return of(this.sets[0] as PolicySet);
    const all = this.sets.flatMap(of).sort(byNameAndIndex);
    return all.filter((one, position) => position === 0 || byNameAndIndex(one, all[position - 1]!) !== 0);
  }

  /** The first statement whose evaluation fails for these results. */
  firstFailure(asked: ConditionsAsked): CompiledStatement | undefined {
    if (!this.canFail) return undefined;
    let first: CompiledStatement | undefined;
    for (const set of this.sets) {
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
