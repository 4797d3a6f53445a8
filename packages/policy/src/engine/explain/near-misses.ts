/** Near misses: statements that would allow except for one aspect. The refused caller probably meant one of them. */

import type { NearMiss, RequiredLeaf } from "../../model/decision.ts";
import { type ConditionTests, unmetText } from "../conditions/condition-tests.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import type { ConditionResults } from "../decide/condition-results.ts";
import { aboutLeaf, type EngineRequest } from "../decide/decide.ts";
import { bindUser } from "../patterns/resource-pattern.ts";
import { type ActionList, type CompiledStatement, nameOf } from "../statement.ts";
import { type Steps, unpriced } from "../work.ts";
import type { OrderedStatements } from "./ordered-statements.ts";

const MOST_MISSES = 5;
/** Number of statements between two steps. */
const STEP = 128;
/** Score of a statement that only its condition excluded; above every score of a common prefix (at most 1). */
const CONDITION_SCORE = 2;

/** Describes a near miss, in steps if it has conditions. Only reported ones need the text. */
type DescribeMiss = (tests: ConditionTests) => NearMiss | Steps<NearMiss>;

interface Scored {
  readonly describe: DescribeMiss;
  readonly score: number;
}

/** Length of the common prefix, as a share of the required text. */
function closeness(pattern: string, required: string): number {
  let same = 0;
  while (same < required.length && pattern.charCodeAt(same) === required.charCodeAt(same)) same++;
  return same / Math.max(1, required.length);
}

function closest(patterns: readonly string[], required: string): number {
  return patterns.reduce((most, pattern) => Math.max(most, closeness(pattern, required)), 0);
}

/** The closest misses so far. */
class Best {
  readonly #misses: Scored[] = [];

  /** True when a miss with this score would be among them. */
  takes(score: number): boolean {
    return this.#misses.length < MOST_MISSES || score > (this.#misses.at(-1) as Scored).score;
  }

  add(score: number, describe: DescribeMiss): void {
    this.#misses.push({ score, describe });
    this.#misses.sort((a, b) => b.score - a.score);
    if (this.#misses.length > MOST_MISSES) this.#misses.pop();
  }

  get found(): readonly DescribeMiss[] {
    return this.#misses.map(({ describe }) => describe);
  }
}

/** Searches near misses of one permission. Compares scores first, because matching takes longer. */
class LeafMisses {
  readonly #best: Best;
  readonly #leaf: RequiredLeaf;
  readonly #request: EngineRequest;
  readonly #ordered: OrderedStatements;
  /** See {@link OrderedStatements.matchingInSteps}. */
  readonly #matching: Uint8Array;
  readonly #holding = new Map<CompiledCondition, boolean>();
  readonly #closeActions = new Map<ActionList, number>();

  constructor(
    best: Best,
    ordered: OrderedStatements,
    leaf: RequiredLeaf,
    request: EngineRequest,
    matching: Uint8Array,
  ) {
    this.#best = best;
    this.#leaf = leaf;
    this.#request = request;
    this.#ordered = ordered;
    this.#matching = matching;
  }

  /** Evaluates a condition in steps, before a statement with it is looked at. */
  *evaluate(condition: CompiledCondition, results: ConditionResults): Steps<void> {
    if (this.#holding.has(condition)) return;
    const result = yield* results.of(condition, this.#request.context);
    this.#holding.set(condition, result === "satisfied");
  }

  look(statement: CompiledStatement, place: number): void {
    if (this.#matching[place] === 1) this.#aboutAction(statement);
    else if (this.#best.takes(this.#actionScore(statement.actions))) this.#aboutAnother(statement);
  }

  /** Handles a statement whose action matches, but whose resource or condition does not. */
  #aboutAction(statement: CompiledStatement): void {
    const { resource } = this.#leaf;
    const request = this.#request;
    if (this.#holds(statement)) {
      const resources = this.#resourcesOf(statement);
      const score = closest(resources, resource);
      if (!this.#best.takes(score) || this.#matches(statement)) return;
      this.#best.add(score, () => {
        const detail = `${resource} does not match ${resources.join(", ")}`;
        return { ...nameOf(statement), why: "resource", detail };
      });
    } else if (this.#best.takes(CONDITION_SCORE) && this.#matches(statement)) {
      this.#best.add(CONDITION_SCORE, function* (tests) {
        const conditions = yield* tests.of(statement.condition, request);
        const unmet = unmetText(conditions);
        const detail = `the condition is not satisfied${unmet === "" ? "" : `: ${unmet}`}`;
        return { ...nameOf(statement), why: "condition", detail, conditions };
      });
    }
  }

  #aboutAnother(statement: CompiledStatement): void {
    if (!this.#holds(statement) || !this.#matches(statement)) return;
    const { action } = this.#leaf;
    this.#best.add(this.#actionScore(statement.actions), () => {
      const detail = `${action} is not among ${statement.actions.patterns.join(", ")}`;
      return { ...nameOf(statement), why: "action", detail };
    });
  }

  #actionScore(actions: ActionList): number {
    let score = this.#closeActions.get(actions);
    if (score === undefined) {
      score = closest(actions.patterns, this.#leaf.action);
      this.#closeActions.set(actions, score);
    }
    return score;
  }

  #holds({ condition }: CompiledStatement): boolean {
    return condition === undefined || this.#holding.get(condition) === true;
  }

  #resourcesOf({ resources = [] }: CompiledStatement): readonly string[] {
    return resources.map((resource) => bindUser(resource, this.#request.user));
  }

  #matches({ resources = [] }: CompiledStatement): boolean {
    return resources.some((one) => this.#ordered.resources.matches(one, this.#leaf.resource));
  }
}

/** At most five near misses of neutral leaves, the closest first; found step by step. */
export function* nearMissesInSteps(
  ordered: OrderedStatements,
  leaves: readonly RequiredLeaf[],
  request: EngineRequest,
  results: ConditionResults,
): Generator<unknown, readonly DescribeMiss[]> {
  const best = new Best();
  let seen = 0;
  for (const leaf of leaves) {
    yield;
    const matching = yield* unpriced(ordered.matchingInSteps(leaf.action));
    const misses = new LeafMisses(best, ordered, leaf, aboutLeaf(request, leaf), matching);
    for (const [place, statement] of ordered.statements.entries()) {
      if (++seen % STEP === 0) yield;
      if (statement.deny) continue;
      if (statement.condition !== undefined) yield* misses.evaluate(statement.condition, results);
      misses.look(statement, place);
    }
  }
  return best.found;
}
