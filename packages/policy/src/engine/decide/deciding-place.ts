/** The place of the statement that decided, for records and counts of use: to tell it takes no object and no search. */

import type { CompiledPolicies } from "../compile/compile.ts";
import { NO_STATEMENT } from "../matching/matches.ts";
import type { CompiledStatement } from "../statement.ts";

/** A place in compiled policies, to be filled in by one decision after the other. */
export class DecidingPlace {
  /** Index of the set of the statement; negative: none, or {@link statement}. */
  set = -1;
  /** Position of the statement in its set. */
  order = NO_STATEMENT;
  /** The statement, if its place was not looked for. */
  statement: CompiledStatement | undefined = undefined;

  /** Stands for a statement by its place. */
  be(set: number, order: number): void {
    this.set = set;
    this.order = order;
    this.statement = undefined;
  }

  /** Stands for a statement. */
  beOf(statement: CompiledStatement): void {
    this.beNone();
    this.statement = statement;
  }

  /** The statement at the place; undefined if none decided. */
  statementIn({ sets }: CompiledPolicies): CompiledStatement | undefined {
    return this.set < 0 ? this.statement : sets[this.set]?.statementAt(this.order);
  }

  /** Stands for no statement. */
  beNone(): void {
    this.be(-1, NO_STATEMENT);
  }
}
