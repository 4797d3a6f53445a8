/** The statements that decided, each once, in the order in which they were found. */

import type { EngineRequest } from "../decide/decide.ts";
import type { CompiledStatement } from "../statement.ts";

/** The parts of a match. */
interface Matched {
  /** The pattern that matched; "" where the statement denies because it cannot be evaluated. */
  readonly action: string;
  /** The pattern that matched; undefined for the whole text of the statement. */
  readonly resource: string | undefined;
  /** The fields with which the condition was evaluated; undefined if it was not evaluated. */
  readonly asked: EngineRequest | undefined;
}

/** A statement that decided, and how it matched. */
export interface Match extends Matched {
  readonly statement: CompiledStatement;
}

/** Collects them: a tree of a thousand leaves finds the same statements for each. */
export class Matches {
  readonly all: Match[] = [];
  /** Places in {@link all} by policy and number of the statement. */
  readonly #places = new Map<string, Map<number, number>>();

  /** Adds a statement. One that is there takes the new match in its place. */
  add(statement: CompiledStatement, action: string, resource?: string, asked?: EngineRequest): void {
    const { index, policy } = statement;
    let places = this.#places.get(policy.name);
    if (places === undefined) {
      places = new Map();
      this.#places.set(policy.name, places);
    }
    const place = places.get(index);
    if (place === undefined) places.set(index, this.all.push({ statement, action, resource, asked }) - 1);
    else if (!isSame(this.all[place] as Match, action, resource, asked))
      this.all[place] = { statement, action, resource, asked };
  }
}

function isSame(known: Match, action: string, resource?: string, asked?: EngineRequest): boolean {
  return known.action === action && known.resource === resource && known.asked === asked;
}
