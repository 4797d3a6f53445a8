/** Compiled statements. Each is parsed once, and statements share equal texts. */

import type { StatementName } from "../model/decision.ts";
import type { NamedStatements, Statement } from "../model/policy.ts";
import { unknownMember } from "../model/policy-members.ts";
import { parseResourceText } from "../model/resource-text.ts";
import { CompiledCondition, type Evaluator, hasOperators } from "./conditions/conditions.ts";
import { compileWildcard, type Wildcard } from "./patterns/wildcard.ts";
import type { Steps } from "./work.ts";

/** A list of action patterns. Statements with the same list share it. */
export interface ActionList {
  /** The patterns as JSON: equal for equal lists. */
  readonly text: string;
  readonly patterns: readonly string[];
  /** The patterns, compiled. */
  readonly matchers: readonly Wildcard[];
}

/** A compiled statement. It belongs to its policy, and every set with the policy shares it. */
export interface CompiledStatement {
  readonly policy: NamedStatements;
  /** Index of the statement in its policy. */
  readonly index: number;
  readonly actions: ActionList;
  /** Only effect `deny` denies; every other text grants (spec/evaluation §2.6). */
  readonly deny: boolean;
  /**
   * The resources, or undefined if the resource text is broken or the statement has a member that this version does not
   * know; the statement then denies everything.
   */
  readonly resources: readonly string[] | undefined;
  readonly condition: CompiledCondition | undefined;
  /** A member that this version does not know. */
  readonly unknownMember: string | undefined;
}

/** The place of a statement, for people. */
export function nameOf({ policy, index }: CompiledStatement): StatementName {
  const sid = policy.statement[index]?.sid;
  return { policy: policy.name, statement: index, ...(sid === undefined ? {} : { sid }) };
}

/** Number of distinct texts after which a pool starts again. Sharing saves memory and changes no result. */
const MOST_TEXTS = 50_000;

/** Compiles statements; equal action lists and conditions are compiled once. */
export class StatementPool {
  readonly evaluator: Evaluator;
  readonly #lists = new Map<string, ActionList>();
  readonly #conditions = new Map<string, CompiledCondition>();
  readonly #matchers = new Map<string, Wildcard>();
  /** The list that was compiled last: statements in a row mostly have one array of actions. */
  #last: { readonly patterns: readonly string[]; readonly list: ActionList } | undefined;

  /** @param evaluator decides which operators conditions may use */
  constructor(evaluator: Evaluator) {
    this.evaluator = evaluator;
  }

  /** Compiles one statement, in steps. */
  *compile(policy: NamedStatements, index: number): Steps<CompiledStatement> {
    return (
      this.compileWithoutCondition(policy, index) ??
      this.#compiled(policy, index, yield* this.#condition(policy.statement[index] as Statement))
    );
  }

  /** Compiles one statement at once; undefined for one with a condition, which has steps of its own. */
  compileWithoutCondition(policy: NamedStatements, index: number): CompiledStatement | undefined {
    const statement = policy.statement[index] as Statement;
    const hasCondition = hasOperators(statement.condition) && unknownMember(statement) === undefined;
    return hasCondition ? undefined : this.#compiled(policy, index, undefined);
  }

  #compiled(
    policy: NamedStatements,
    index: number,
    condition: CompiledCondition | undefined,
  ): CompiledStatement {
    const statement = policy.statement[index] as Statement;
    // What it restricts is not known, so that nothing may depend on the rest.
    const unknown = unknownMember(statement);
    const isKnown = unknown === undefined;
    return {
      policy,
      index,
      actions: this.#list(statement.action),
      deny: statement.effect === "deny",
      resources: isKnown ? resourcesOf(statement) : undefined,
      condition,
      unknownMember: unknown,
    };
  }

  #list(patterns: readonly string[]): ActionList {
    if (this.#last?.patterns !== patterns) this.#last = { patterns, list: this.#listOf(patterns) };
    return this.#last.list;
  }

  #listOf(patterns: readonly string[]): ActionList {
    const text = JSON.stringify(patterns);
    return remembered(this.#lists, text, () => ({
      text,
      patterns,
      matchers: patterns.map((pattern) =>
        remembered(this.#matchers, pattern, () => compileWildcard(pattern)),
      ),
    }));
  }

  *#condition({ condition }: Statement): Steps<CompiledCondition | undefined> {
    if (!hasOperators(condition)) return undefined;
    const text = JSON.stringify(condition);
    const known = this.#conditions.get(text);
    if (known !== undefined) return known;
    const compiled = yield* CompiledCondition.inSteps(condition, this.evaluator);
    return remembered(this.#conditions, text, () => compiled);
  }
}

function resourcesOf({ resource }: Statement): readonly string[] | undefined {
  const resources = parseResourceText(resource);
  return resources?.every(isWellFormed) === false ? resources.map((one) => one.toWellFormed()) : resources;
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

function remembered<T>(known: Map<string, T>, text: string, make: () => T): T {
  let value = known.get(text);
  if (value === undefined) {
    value = make();
    if (known.size >= MOST_TEXTS) known.clear();
    known.set(text, value);
  }
  return value;
}

/** The first pattern of a statement that matches the action (the one a refusal names), or undefined. */
export function matchingAction(statement: CompiledStatement, action: string): string | undefined {
  const { patterns, matchers } = statement.actions;
  return patterns[matchers.findIndex((matcher) => matcher.match(action))];
}
