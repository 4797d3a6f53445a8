/** The result of matching statements for one required permission, reduced to what a decision needs. */

import { USER_VARIABLE } from "../../model/condition-variables.ts";
import type { ConditionFields } from "../../model/decision.ts";
import type { ConditionResult } from "../conditions/condition-part.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import type { CompiledStatement } from "../statement.ts";

/** Position of a missing statement: greater than every real one. */
export const NO_STATEMENT = 0x7fffffff;

/** Units of work of evaluating a condition besides the characters. */
const PER_CONDITION = 200;

/** Units of work of a word of its values besides the characters. */
const PER_WORD = 100;

/** Units of work of evaluating a condition against condition fields, for the user of this name. */
export function priceOf(
  { words, compared, substituted }: CompiledCondition,
  context: ConditionFields,
  user: string,
): number {
  let characters = 0;
  for (const field of compared) {
    const value = context.get(field);
    if (typeof value === "string") characters += value.length;
    else if (Array.isArray(value)) for (const text of value) characters += PER_TEXT + text.length;
    else characters += NO_TEXT;
  }
  let longer = 0;
  for (const [variable, weight] of substituted) {
    const value = variable === USER_VARIABLE ? user : context.get(variable);
    if (typeof value === "string") longer += (weight * value.length) / CHARACTERS_OF_WORD;
  }
  return PER_CONDITION + (words + longer) * (PER_WORD + 2 * characters);
}

const CHARACTERS_OF_WORD = 32;

/** The cost of a text in a list besides its own characters, in characters. */
const PER_TEXT = 20;

/** The cost of a field without a text, in characters. */
const NO_TEXT = 20;

/** Units of work of looking at the statements with one condition. */
const PER_GROUP = 10;

/** Statements that share a resource pattern and a condition: the first that denies and the first that allows. */
interface Group {
  deny: number;
  allow: number;
}

/** Results of conditions for one user and one context. */
export type KnownResults = Map<CompiledCondition, ConditionResult>;

/** The asker for results of conditions. */
export interface ConditionsAsked {
  readonly context: ConditionFields;
  resultOf(condition: CompiledCondition): ConditionResult;
}

/**
 * Collects the result of the patterns that match a required resource. One object serves all look-ups without
 * allocation.
 */
export class Findings implements ConditionsAsked {
  /** Order of the first matching statement of a set that denies. */
  deny = NO_STATEMENT;
  /** Order of the first matching statement of a set that allows. */
  allow = NO_STATEMENT;
  context: ConditionFields = new Map();
  /** The name that `${user}` stands for. */
  user = "";
  /** True for a name that acts as a wildcard: statements with `${user}` then only deny (spec/security §3.1). */
  userOnlyDenies = false;
  /** Units of work. */
  work = 0;
  /** Results of conditions for this context and user that are known already; further ones are added. */
  known: KnownResults | undefined;
  /**
   * Units of work that conditions may take at once. Further ones count as unsatisfied and are {@link deferred}: with
   * their results known, no other condition will be asked for.
   */
  most = Number.POSITIVE_INFINITY;
  /** Conditions that have to be evaluated in steps before the result holds. */
  deferred: CompiledCondition[] | undefined;
  #evaluated = 0;

  /** Resets the result, for the next look-up with the same input. */
  again(): void {
    this.deny = NO_STATEMENT;
    this.allow = NO_STATEMENT;
    this.work = 0;
    this.deferred = undefined;
    this.#evaluated = 0;
  }

  /** Resets the result. A caller that looks into several sets must reset deny and allow between them. */
  begin(context: ConditionFields, user: string, userOnlyDenies: boolean): void {
    this.again();
    this.context = context;
    this.user = user;
    this.userOnlyDenies = userOnlyDenies;
    this.known = undefined;
    this.most = Number.POSITIVE_INFINITY;
  }

  /** Returns the result of a condition for the request. */
  resultOf(condition: CompiledCondition): ConditionResult {
    const known = this.known?.get(condition);
    if (known !== undefined) {
      this.work += PER_GROUP;
      return known;
    }
    const price = priceOf(condition, this.context, this.user);
    if (condition.canBeLong) {
      this.#evaluated += price;
      if (this.#evaluated > this.most) {
        this.deferred ??= [];
        this.deferred.push(condition);
        return "unsatisfied";
      }
    }
    this.work += price;
    const result = condition.evaluate(this.context, this.user);
    this.known?.set(condition, result);
    return result;
  }
}

/** The orders of the first statement that denies and of the first that allows. */
interface PlainStatements {
  readonly deny: number;
  readonly allow: number;
}

/** The statements with one resource pattern. */
export class Slot {
  readonly #usesUser: boolean;
  #deny = NO_STATEMENT;
  #allow = NO_STATEMENT;
  #conditional: Map<CompiledCondition, Group> | undefined;

  /** @param usesUser true if the pattern contains `${user}` */
  constructor(usesUser: boolean) {
    this.#usesUser = usesUser;
  }

  /** Adds a statement. Its order decides which deny a refusal names. */
  add({ condition, deny }: CompiledStatement, order: number): void {
    if (condition !== undefined) this.#addConditional(condition, deny, order);
    else if (deny) this.#deny = Math.min(this.#deny, order);
    else this.#allow = Math.min(this.#allow, order);
  }

  #addConditional(condition: CompiledCondition, deny: boolean, order: number): void {
    this.#conditional ??= new Map();
    let group = this.#conditional.get(condition);
    if (group === undefined) {
      group = { deny: NO_STATEMENT, allow: NO_STATEMENT };
      this.#conditional.set(condition, group);
    }
    if (deny) group.deny = Math.min(group.deny, order);
    else group.allow = Math.min(group.allow, order);
  }

  /** Its statements, where they have no conditions and depend on no user. Call it after the last `add`. */
  get plain(): PlainStatements | undefined {
    if (this.#usesUser || this.#conditional !== undefined) return undefined;
    return { deny: this.#deny, allow: this.#allow };
  }

  /** Reports to the result that the pattern of this slot matches. */
  report(findings: Findings): void {
    if (this.#deny < findings.deny) findings.deny = this.#deny;
    const mayAllow = !(this.#usesUser && findings.userOnlyDenies);
    if (mayAllow && this.#allow < findings.allow) findings.allow = this.#allow;
    if (this.#conditional !== undefined) this.#reportConditional(this.#conditional, findings, mayAllow);
  }

  #reportConditional(
    groups: ReadonlyMap<CompiledCondition, Group>,
    findings: Findings,
    mayAllow: boolean,
  ): void {
    for (const [condition, { deny, allow }] of groups) {
      findings.work += PER_GROUP;
      const matters = deny < findings.deny || (mayAllow && allow < findings.allow);
      if (!matters) continue;
      const result = findings.resultOf(condition);
      // `CompiledPolicies` finds errors that end the whole check; here, "error" only means "does not allow".
      if (result !== "unsatisfied" && deny < findings.deny) findings.deny = deny;
      if (result === "satisfied" && mayAllow && allow < findings.allow) findings.allow = allow;
    }
  }
}
