/** The result for a leaf, and the statements that decided, for records and counts of use. */

import type { CompiledPolicies } from "../compile/compile.ts";
import { NO_STATEMENT } from "../matching/matches.ts";
import type { CompiledStatement } from "../statement.ts";

/** The result of the statements that match a leaf. */
export interface LeafFindings {
  /** The first statement that denies, unless an earlier one fails. */
  readonly deny: CompiledStatement | undefined;
  /** The first statement whose evaluation fails, which denies. */
  readonly failure: CompiledStatement | undefined;
  readonly allowed: boolean;
  /** The first statement that allows. */
  readonly allow: CompiledStatement | undefined;
}

/** Nobody else can name it: no other object passes for a place of a look-up. */
declare const found: unique symbol;

/** The place of the statement that decided a look-up: to tell it takes no object and no search. */
export interface DecidingPlace {
  readonly [found]: true;
  /** Index of the set of the statement; negative: none, or {@link statement}. */
  readonly set: number;
  /** Position of the statement in its set. */
  readonly order: number;
  /** The statement, if its place was not looked for. */
  readonly statement: CompiledStatement | undefined;
  /** The statement at the place; undefined if none decided. */
  statementIn(policies: CompiledPolicies): CompiledStatement | undefined;
}

/** The place of a `Lookup`, filled in by one look-up after the other. */
export class FoundPlace implements DecidingPlace {
  declare readonly [found]: true;
  set = -1;
  order = NO_STATEMENT;
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

  /** Stands for no statement. */
  beNone(): void {
    this.be(-1, NO_STATEMENT);
  }

  statementIn({ sets }: CompiledPolicies): CompiledStatement | undefined {
    return this.set < 0 ? this.statement : sets[this.set]?.statementAt(this.order);
  }
}

/** The statements that decided the leaves and gates of one decision, which fills it in. */
export class DecidingStatements {
  #all: CompiledStatement[] = [];

  /** In evaluation order. */
  get all(): readonly CompiledStatement[] {
    return this.#all;
  }

  /** Adds the statement that decides a leaf; none for a leaf that no statement matches. */
  noteLeaf({ deny, failure, allow }: LeafFindings): void {
    this.note(deny ?? failure ?? allow);
  }

  /** Adds a statement, if there is one. */
  note(statement: CompiledStatement | undefined): void {
    if (statement !== undefined) this.#all.push(statement);
  }

  /** Forgets all, for a decision that begins anew. */
  clear(): void {
    this.#all = [];
  }
}
