/**
 * Policies, compiled once and shared by every user who has them. `${user}` is bound when matching.
 * What belongs to one action is indexed when the action is first asked for. Long work comes as a generator, so that
 * a caller can let others run in between.
 */

import type { ConditionFields } from "../model/decision.ts";
import { parseIp } from "../model/ip.ts";
import type { NamedStatements } from "../model/policy.ts";
import type { CompiledCondition, Evaluator } from "./conditions.ts";
import { NO_STATEMENT } from "./matches.ts";
import { ResourceIndex } from "./resource-index.ts";
import { type CompiledStatement, StatementPool } from "./statement.ts";

/** Statements handled between two steps of a generator: well under a millisecond of work. */
const STEP = 128;
/** Actions whose index is remembered, so that made-up action names cannot fill the memory. */
const MOST_ACTIONS = 512;
/** Statements that the action indexes of a set may hold together, as a multiple of its size. */
const INDEX_BUDGET = 8;
const LEAST_BUDGET = 20_000;

/** Settings of a compilation. */
export interface CompileOptions {
  /** The partition of every ARN (`authorizer.partition`). */
  readonly partition: string;
  readonly evaluator: Evaluator;
}

/** The statements that match one action. */
export interface ActionIndex {
  readonly resources: ResourceIndex;
  /** Statements in it, for the budget. */
  readonly size: number;
  /** True when a statement of effect exactly `allow` is among them (the gate of evaluation.md §10). */
  readonly passesGate: boolean;
}

/** Statements whose evaluation can fail and thereby deny everything (evaluation.md §2.1, evaluation.md §2.2). */
interface Fallible {
  readonly order: number;
  readonly condition: CompiledCondition;
  /** True: satisfied is a failure too, since the resource text behind the condition is broken. */
  readonly brokenResource: boolean;
}

/** A compiled list of policies. Immutable but for indexes that are filled on first use. */
export class CompiledPolicies {
  readonly options: CompileOptions;
  readonly statements: readonly CompiledStatement[];
  /** True when some statement has a condition, so that the condition fields of a request matter. */
  readonly readsContext: boolean;
  /** True when a condition reads attributes of the resource (`resource.X`). */
  readonly readsResource: boolean;
  readonly #pool: StatementPool;
  readonly #byList: readonly (readonly CompiledStatement[])[];
  readonly #actions = new Map<string, ActionIndex>();
  readonly #rows: { readonly lists: readonly number[]; readonly index: ActionIndex }[] = [];
  readonly #seed = (Math.random() * 0x7fffffff) | 0;
  /** Order of the first statement that is always an error. */
  #broken = NO_STATEMENT;
  /** Field that must be an IP address → order of the first statement that reads it. */
  readonly #addressFields = new Map<string, number>();
  readonly #fallible: Fallible[] = [];
  readonly #canFail: CompiledStatement[] = [];
  #indexed = 0;

  /** Use {@link compile} or {@link compileInSteps}. */
  constructor(options: CompileOptions, statements: readonly CompiledStatement[], pool: StatementPool) {
    this.options = options;
    this.statements = statements;
    this.#pool = pool;
    const byList: CompiledStatement[][] = pool.lists.map(() => []);
    for (const statement of statements) {
      (byList[statement.actions.id] as CompiledStatement[]).push(statement);
      this.#noteFailures(statement);
    }
    this.#byList = byList;
    this.readsContext = statements.some(({ condition }) => condition !== undefined);
    this.readsResource = statements.some(({ condition }) => condition?.readsResource);
  }

  /** The statements whose evaluation can fail, which denies everything whatever they are about; in order. */
  get canFail(): readonly CompiledStatement[] {
    return this.#canFail;
  }

  #noteFailures(statement: CompiledStatement): void {
    const { order, condition, resources } = statement;
    const brokenResource = resources === undefined;
    if (
      brokenResource ||
      condition?.alwaysFails ||
      condition?.hasBadValues ||
      condition?.addressFields.length
    )
      this.#canFail.push(statement);
    if (condition === undefined) {
      if (brokenResource) this.#broken = Math.min(this.#broken, order);
      return;
    }
    if (condition.alwaysFails) this.#broken = Math.min(this.#broken, order);
    else if (brokenResource || condition.hasBadValues)
      this.#fallible.push({ order, condition, brokenResource });
    for (const field of condition.addressFields) {
      this.#addressFields.set(field, Math.min(order, this.#addressFields.get(field) ?? NO_STATEMENT));
    }
  }

  /** Order of the first statement whose evaluation fails for this user and context, or {@link NO_STATEMENT}. */
  firstFailure(context: ConditionFields, user: string): number {
    let first = this.#broken;
    if (this.#addressFields.size > 0) {
      for (const [field, order] of this.#addressFields) {
        const value = context.get(field);
        if (order >= first || typeof value !== "string" || value === "") continue;
        if (parseIp(value) === undefined) first = order;
      }
    }
    for (const { order, condition, brokenResource } of this.#fallible) {
      if (order >= first) continue;
      const result = condition.evaluate(context, user);
      if (result === "error" || (brokenResource && result !== "unsatisfied")) first = order;
    }
    return first;
  }

  /** The statements that match an action, unindexed and in no particular order. */
  statementsMatching(action: string): readonly CompiledStatement[] {
    return this.#pool.listsMatching(action).flatMap((list) => this.#byList[list] ?? []);
  }

  /** True when the index of the action is there already, so that a decision about it is quick. */
  isIndexed(action: string): boolean {
    return this.#actions.has(action);
  }

  /** The index of an action, built now if need be. */
  indexOf(action: string): ActionIndex {
    const known = this.#actions.get(action);
    if (known !== undefined) return known;
    const steps = this.indexInSteps(action);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** Builds the index of an action step by step. */
  *indexInSteps(action: string): Generator<void, ActionIndex> {
    const lists = this.#pool.listsMatching(action);
    const row = this.#rows.find((known) => sameLists(known.lists, lists));
    const index = row === undefined ? yield* this.#buildIndex(lists) : row.index;
    if (this.#actions.size >= MOST_ACTIONS) this.#forget();
    this.#actions.set(action, index);
    return index;
  }

  *#buildIndex(lists: readonly number[]): Generator<void, ActionIndex> {
    const resources = new ResourceIndex(this.options.partition, this.#seed);
    let size = 0;
    let passesGate = false;
    for (const list of lists) {
      for (const statement of this.#byList[list] as readonly CompiledStatement[]) {
        resources.add(statement);
        passesGate ||= statement.policy.statement[statement.index]?.effect === "allow";
        if (++size % STEP === 0) yield;
      }
    }
    resources.seal();
    this.#indexed += size;
    if (this.#indexed > Math.max(LEAST_BUDGET, this.statements.length * INDEX_BUDGET)) this.#forget();
    const index = { resources, size, passesGate };
    this.#rows.push({ lists, index });
    return index;
  }

  #forget(): void {
    this.#actions.clear();
    this.#rows.length = 0;
    this.#indexed = 0;
  }
}

function sameLists(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((list, position) => list === b[position]);
}

/** Compiles policies step by step; the order of policies and statements is kept, for refusals name the first deny. */
export function* compileInSteps(
  policies: readonly NamedStatements[],
  options: CompileOptions,
): Generator<void, CompiledPolicies> {
  const pool = new StatementPool(options.evaluator);
  const statements: CompiledStatement[] = [];
  for (const policy of policies) {
    for (let index = 0; index < policy.statement.length; index++) {
      statements.push(pool.add(policy, index, statements.length));
      if (statements.length % STEP === 0) yield;
    }
  }
  return new CompiledPolicies(options, statements, pool);
}

/** Compiles policies at once. */
export function compile(policies: readonly NamedStatements[], options: CompileOptions): CompiledPolicies {
  const steps = compileInSteps(policies, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
