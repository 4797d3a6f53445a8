/** Results of conditions, for work that looks at the same conditions again and again. */

import type { ConditionFields } from "../../model/decision.ts";
import type { ConditionResult } from "../conditions/condition-part.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import { type KnownResults, priceOf } from "../matching/matches.ts";
import { STEP_UNITS, type Steps } from "../work.ts";

/** Results for one user, each evaluated once as long as the condition fields stay the same. */
export class ConditionResults {
  readonly #user: string;
  readonly #results: KnownResults = new Map();
  #context: ConditionFields | undefined;
  /** Units of work that were not yielded yet. */
  #owed = 0;

  /** @param user the name that `${user}` stands for */
  constructor(user: string) {
    this.#user = user;
  }

  /** The results for these fields, as far as they are known. Those for other fields are forgotten. */
  about(context: ConditionFields): KnownResults {
    if (context !== this.#context) this.#results.clear();
    this.#context = context;
    return this.#results;
  }

  /** The result of a condition; a long one is evaluated in steps, for its price. */
  *of(condition: CompiledCondition, context: ConditionFields): Steps<ConditionResult> {
    const results = this.about(context);
    const known = results.get(condition);
    if (known !== undefined) return known;
    this.#owed += priceOf(condition, context, this.#user);
    if (this.#owed > STEP_UNITS) {
      yield this.#owed;
      this.#owed = 0;
    }
    const result = yield* condition.evaluateInSteps(context, this.#user);
    // Other work may have asked about other fields meanwhile.
    this.about(context).set(condition, result);
    return result;
  }
}
