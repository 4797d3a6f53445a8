/** Statements in evaluation order, without the indexes, for work that looks at all that match. */

import type { CompiledPolicies } from "../compile/compile.ts";
import { ResourceMatchers } from "../matching/resource-matchers.ts";
import type { CompiledStatement } from "../statement.ts";
import type { Steps } from "../work.ts";
import { ResourceBeginnings } from "./resource-beginnings.ts";

/** Number of cached actions; a tree of permissions rarely names more. */
const MOST_ACTIONS = 16;

/**
 * Finds the statements of one user. A tree of a thousand leaves looks at each statement a thousand times, so what is
 * found is a byte for each statement, by its place, in memory that is used again.
 */
export class OrderedStatements {
  readonly policies: CompiledPolicies;
  /** Matchers of their resources. */
  readonly resources: ResourceMatchers;
  /** All, each once. */
  readonly statements: readonly CompiledStatement[];
  /** By set, the place of each of its statements; undefined where there is one set, whose order it is. */
  readonly #placesBySet: readonly (Int32Array | undefined)[];
  readonly #marks = new Map<string, Uint8Array>();
  readonly #beginnings: ResourceBeginnings;
  #fallible: Uint8Array | undefined;

  constructor(policies: CompiledPolicies, user: string) {
    this.policies = policies;
    this.resources = new ResourceMatchers(user, policies.options.partition);
    this.statements = policies.statements;
    this.#placesBySet = placesBySet(policies);
    this.#beginnings = new ResourceBeginnings(this.statements, this.resources);
  }

  /**
   * A byte for each statement by its place: 1 for those about the action. It holds until {@link MOST_ACTIONS} others
   * were asked for.
   */
  *matchingInSteps(action: string): Steps<Uint8Array> {
    const wellFormed = action.toWellFormed();
    const known = this.#marks.get(wellFormed);
    if (known !== undefined) return known;
    const marks = this.#emptyMarks();
    for (const [index, set] of this.policies.sets.entries())
      yield* set.markMatchingInSteps(wellFormed, marks, this.#placesBySet[index]);
    this.#marks.set(wellFormed, marks);
    return marks;
  }

  /**
   * The same for those of them one of whose resources can match. It holds until the next call.
   * @param matching those about the action
   */
  reachingInSteps(matching: Uint8Array, resource: string): Steps<Uint8Array> {
    return this.#beginnings.reachingInSteps(matching, resource);
  }

  /** The same for all whose evaluation can fail; undefined where there are none. */
  get fallible(): Uint8Array | undefined {
    if (!this.policies.canFail) return undefined;
    if (this.#fallible === undefined) {
      const wanted = new Set(this.policies.fallible);
      this.#fallible = Uint8Array.from(this.statements, (statement) => Number(wanted.has(statement)));
    }
    return this.#fallible;
  }

  #emptyMarks(): Uint8Array {
    const [oldest] = this.#marks;
    if (oldest === undefined || this.#marks.size < MOST_ACTIONS)
      return new Uint8Array(this.statements.length);
    const [action, marks] = oldest;
    this.#marks.delete(action);
    return marks.fill(0);
  }
}

function placesBySet(policies: CompiledPolicies): readonly (Int32Array | undefined)[] {
  if (policies.sets.length === 1) return [undefined];
  const starts = new Map<string, number>();
  let start = 0;
  for (const { source, statements } of policies.policies) {
    starts.set(source.name, start);
    start += statements.length;
  }
  return policies.sets.map((set) => {
    const places = new Int32Array(set.size);
    let order = 0;
    for (const { source, statements } of set.policies) {
      const first = starts.get(source.name) as number;
      for (let index = 0; index < statements.length; index++) places[order++] = first + index;
    }
    return places;
  });
}

/** The places of the statements that are marked, in evaluation order. */
export function* placesOf(marks: Uint8Array): Generator<number, void> {
  for (let place = marks.indexOf(1); place >= 0; place = marks.indexOf(1, place + 1)) yield place;
}
