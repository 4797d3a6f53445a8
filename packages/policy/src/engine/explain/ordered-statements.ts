/** Statements by action in evaluation order, without the indexes, for work that reads each of them. */

import type { CompiledPolicies } from "../compile/compile.ts";
import { ResourceMatchers } from "../matching/resource-matchers.ts";
import type { CompiledStatement } from "../statement.ts";
import { finish, type Steps } from "../work.ts";

/** Number of cached actions; a tree of permissions rarely names more. */
const MOST_ACTIONS = 64;

/** Finds the statements of one user; searches for each action once. */
export class OrderedStatements {
  readonly policies: CompiledPolicies;
  /** Matchers of their resources. */
  readonly resources: ResourceMatchers;
  readonly #matching = new Map<string, readonly CompiledStatement[]>();
  readonly #sets = new Map<string, ReadonlySet<CompiledStatement>>();
  readonly #orFailing = new Map<string, readonly CompiledStatement[]>();

  constructor(policies: CompiledPolicies, user: string) {
    this.policies = policies;
    this.resources = new ResourceMatchers(user, policies.options.partition);
  }

  /** The statements about an action. */
  matching(action: string): readonly CompiledStatement[] {
    return finish(this.matchingInSteps(action));
  }

  /** The same, in steps. */
  *matchingInSteps(action: string): Steps<readonly CompiledStatement[]> {
    const wellFormed = action.toWellFormed();
    const known = this.#matching.get(wellFormed);
    if (known !== undefined) return known;
    const found = yield* this.policies.statementsMatchingInSteps(wellFormed);
    return remembered(this.#matching, wellFormed, () => found);
  }

  /** The same as a set. */
  matchingSet(action: string): ReadonlySet<CompiledStatement> {
    return remembered(this.#sets, action, () => new Set(this.matching(action)));
  }

  /**
   * The statements about an action, plus all whose evaluation can fail.
   * @param found those about the action
   */
  orFailing(action: string, found: readonly CompiledStatement[]): readonly CompiledStatement[] {
    const { fallible } = this.policies;
    if (fallible.length === 0) return found;
    return remembered(this.#orFailing, action, () => {
      const wanted = new Set([...found, ...fallible]);
      return this.policies.statements.filter((statement) => wanted.has(statement));
    });
  }
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    if (known.size >= MOST_ACTIONS) known.clear();
    known.set(key, value);
  }
  return value;
}
