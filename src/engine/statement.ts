/** Statements, compiled: parsed once, with texts shared between statements that have them in common. */

import type { StatementName } from "../model/decision.ts";
import type { NamedStatements, Statement } from "../model/policy.ts";
import { parseResourceText } from "../model/resource-text.ts";
import { CompiledCondition, type Evaluator, hasOperators } from "./conditions.ts";
import { compileWildcard, hasWildcard, type Wildcard } from "./wildcard.ts";

/** A list of action patterns, shared by all statements that have the same list. */
export interface ActionList {
  /** Position among the distinct lists of a policy set. */
  readonly id: number;
  readonly patterns: readonly string[];
  /** The patterns, compiled. */
  readonly matchers: readonly Wildcard[];
}

/** A statement ready for evaluation. */
export interface CompiledStatement {
  /** Position in evaluation order over all policies: evaluation.md §2 visits policies, then statements. */
  readonly order: number;
  readonly policy: NamedStatements;
  /** Index of the statement in its policy. */
  readonly index: number;
  readonly actions: ActionList;
  /** Only effect `deny` exactly denies; every other text grants (evaluation.md §2.6). */
  readonly deny: boolean;
  /** The resources, or undefined when the resource text is broken: then the statement denies everything. */
  readonly resources: readonly string[] | undefined;
  readonly condition: CompiledCondition | undefined;
}

/** Where a statement stands, for people. */
export function nameOf({ policy, index }: CompiledStatement): StatementName {
  const sid = policy.statement[index]?.sid;
  return { policy: policy.name, statement: index, ...(sid === undefined ? {} : { sid }) };
}

/** Distinct action lists and conditions of a policy set, so that equal ones are compiled once. */
export class StatementPool {
  readonly lists: ActionList[] = [];
  readonly #listByText = new Map<string, ActionList>();
  readonly #conditionByText = new Map<string, CompiledCondition>();
  readonly #matchers = new Map<string, Wildcard>();
  readonly #exact = new Map<string, number[]>();
  readonly #wild = new Map<string, { readonly pattern: Wildcard; readonly lists: number[] }>();
  readonly #evaluator: Evaluator;

  /** @param evaluator whose operators the conditions may use */
  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  #list(patterns: readonly string[]): ActionList {
    const text = JSON.stringify(patterns);
    const known = this.#listByText.get(text);
    if (known !== undefined) return known;
    const matchers = patterns.map((pattern) => this.#matcher(pattern));
    const list = { id: this.lists.length, patterns, matchers };
    this.#listByText.set(text, list);
    this.lists.push(list);
    for (const pattern of new Set(patterns)) this.#indexPattern(pattern, list.id);
    return list;
  }

  #matcher(pattern: string): Wildcard {
    let matcher = this.#matchers.get(pattern);
    if (matcher === undefined) {
      matcher = compileWildcard(pattern);
      this.#matchers.set(pattern, matcher);
    }
    return matcher;
  }

  #indexPattern(pattern: string, list: number): void {
    if (hasWildcard(pattern)) {
      const entry = this.#wild.get(pattern);
      if (entry === undefined) this.#wild.set(pattern, { pattern: this.#matcher(pattern), lists: [list] });
      else entry.lists.push(list);
      return;
    }
    const literal = pattern.toWellFormed();
    const lists = this.#exact.get(literal);
    if (lists === undefined) this.#exact.set(literal, [list]);
    else if (lists.at(-1) !== list) lists.push(list);
  }

  #condition(statement: Statement): CompiledCondition | undefined {
    if (!hasOperators(statement.condition)) return undefined;
    const text = JSON.stringify(statement.condition);
    let condition = this.#conditionByText.get(text);
    if (condition === undefined) {
      condition = new CompiledCondition(statement.condition, this.#evaluator);
      this.#conditionByText.set(text, condition);
    }
    return condition;
  }

  /** Compiles one statement. */
  add(policy: NamedStatements, index: number, order: number): CompiledStatement {
    const statement = policy.statement[index] as Statement;
    return {
      order,
      policy,
      index,
      actions: this.#list(statement.action),
      deny: statement.effect === "deny",
      resources: parseResourceText(statement.resource)?.map((resource) => resource.toWellFormed()),
      condition: this.#condition(statement),
    };
  }

  /** Ids of the lists with a pattern that matches the action, ascending. */
  listsMatching(action: string): number[] {
    const found = new Set(this.#exact.get(action));
    for (const { pattern, lists } of this.#wild.values()) {
      if (!pattern.match(action)) continue;
      for (const list of lists) found.add(list);
    }
    return [...found].sort((a, b) => a - b);
  }
}

/** The first pattern of a statement that matches the action (the one a refusal names), or undefined. */
export function matchingAction(statement: CompiledStatement, action: string): string | undefined {
  const { patterns, matchers } = statement.actions;
  return patterns[matchers.findIndex((matcher) => matcher.match(action))];
}
