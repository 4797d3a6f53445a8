/** Results of conditions, for work that looks at the same conditions again and again. */

import type { ConditionFields } from "../model/decision.ts";
import type { ConditionResult } from "./conditions/condition-part.ts";
import type { CompiledCondition } from "./conditions/conditions.ts";
import { priceOf } from "./matches.ts";
import type { Steps } from "./work.ts";

/** Results for one user, each evaluated once as long as the condition fields stay the same. */
export class ConditionResults {
  readonly #user: string;
  readonly #results = new Map<CompiledCondition, ConditionResult>();
  #context: ConditionFields | undefined;

  /** @param user the name that `${user}` stands for */
  constructor(user: string) {
    this.#user = user;
  }

  /** The result of a condition; a long one is evaluated in steps, for its price. */
  *of(condition: CompiledCondition, context: ConditionFields): Steps<ConditionResult> {
    if (context !== this.#context) this.#results.clear();
    this.#context = context;
    const known = this.#results.get(condition);
    if (known !== undefined) return known;
    if (condition.isLong) yield priceOf(condition, context);
    const result = yield* condition.evaluateInSteps(context, this.#user);
    this.#results.set(condition, result);
    return result;
  }
}
