/** The statements of a set in evaluation order, apart from its indexes, which need far more memory. */

import { NO_STATEMENT } from "../matching/matches.ts";
import type { CompiledStatement } from "../statement.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";

/** Finds statements by their position in evaluation order, and positions of statements. */
export class StatementOrder {
  readonly #policies: readonly CompiledPolicy[];
  readonly #starts: readonly number[];
  /** Position of the first statement of each policy; made when it is first needed. */
  #startOf: Map<CompiledStatement["policy"], number> | undefined;

  /**
   * @param policies those that have statements, in evaluation order
   * @param starts position of the first statement of each
   */
  constructor(policies: readonly CompiledPolicy[], starts: readonly number[]) {
    this.#policies = policies;
    this.#starts = starts;
  }

  /** The statement at a position. */
  statementAt(order: number): CompiledStatement {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= order) low = middle;
      else high = middle - 1;
    }
    const statements = this.#policies[low]?.statements as readonly CompiledStatement[];
    return statements[order - (starts[low] as number)] as CompiledStatement;
  }

  /** The position of a statement, or {@link NO_STATEMENT}. */
  positionOf({ policy, index }: CompiledStatement): number {
    this.#startOf ??= new Map(
      this.#policies.map(({ source }, position) => [source, this.#starts[position] as number]),
    );
    const start = this.#startOf.get(policy);
    return start === undefined ? NO_STATEMENT : start + index;
  }
}
