/** Statements whose evaluation can fail; a failure denies everything (spec/evaluation §2.1, spec/evaluation §2.2). */

import { parseIp } from "../../model/ip.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import { type ConditionsAsked, NO_STATEMENT } from "../matching/matches.ts";
import type { CompiledStatement } from "../statement.ts";

interface Fallible {
  readonly order: number;
  readonly condition: CompiledCondition;
  /** True if a satisfied condition is a failure too, because the resource text is broken. */
  readonly brokenResource: boolean;
}

/** Finds the first failure of a set of policies. */
export class Failures {
  /** The statements that can fail, in order. */
  readonly statements: CompiledStatement[] = [];
  /** Order of the first statement that is always an error. */
  #broken = NO_STATEMENT;
  /** Field that must be an IP address → order of the first statement that reads it. */
  readonly #addressFields = new Map<string, number>();
  readonly #fallible: Fallible[] = [];

  /** Records how a statement that {@link mayFail} can fail. Statements must be added in order. */
  add(statement: CompiledStatement, order: number): void {
    const { condition, resources } = statement;
    const brokenResource = resources === undefined;
    if (condition === undefined) {
      this.#broken = Math.min(this.#broken, order);
      this.statements.push(statement);
      return;
    }
    if (condition.alwaysFails) this.#broken = Math.min(this.#broken, order);
    else if (brokenResource || condition.hasBadValues)
      this.#fallible.push({ order, condition, brokenResource });
    for (const field of condition.addressFields) {
      this.#addressFields.set(field, Math.min(order, this.#addressFields.get(field) ?? NO_STATEMENT));
    }
    if (brokenResource || condition.alwaysFails || condition.addressFields.length > 0)
      this.statements.push(statement);
  }

  /** Order of the first statement whose evaluation fails for these results, or {@link NO_STATEMENT}. */
  first(asked: ConditionsAsked): number {
    const { context } = asked;
    let first = this.#broken;
    for (const [field, order] of this.#addressFields) {
      const value = context.get(field);
      if (order >= first || typeof value !== "string" || value === "") continue;
      if (parseIp(value) === undefined) first = order;
    }
    for (const { order, condition, brokenResource } of this.#fallible) {
      if (order >= first) break;
      const result = asked.resultOf(condition);
      if (result === "error" || (brokenResource && result !== "unsatisfied")) first = order;
    }
    return first;
  }
}

/** True if the evaluation of a statement may fail, so that {@link Failures} must know it. */
export function mayFail({ condition, resources }: CompiledStatement): boolean {
  return condition !== undefined || resources === undefined;
}

/** Those of the sets in which nothing can fail, as in most. Nothing is to be added. */
export const NO_FAILURES = new Failures();
