/**
 * Policies that matter for a change: access can change only where a changed statement matches, so policies of other
 * actions need no comparison, and users who differ in these alone need only one.
 */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { patternsMeet } from "@svc-authorizer/policy/model/pattern-meeting.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";

const EVERYTHING = ["*"];
const EFFECTS = ["allow", "deny"];

/** Finds the policies that matter for changed statements. */
export class Relevance {
  readonly #actions: readonly string[];
  /** Action pattern → whether it meets a changed one. Policies repeat patterns. */
  readonly #met = new Map<string, boolean>();
  /** Id and version → answer. */
  readonly #known = new Map<string, boolean>();

  constructor(changed: readonly Statement[]) {
    this.#actions = [...new Set(changed.flatMap((one) => (mayFail(one) ? EVERYTHING : one.action)))];
  }

  /** False only if the policy cannot make a difference to the change. */
  has({ id, version, statement }: Pick<StoredPolicy, "id" | "version" | "statement">): boolean {
    const key = `${id} ${version}`;
    const known = this.#known.get(key) ?? statement.some((one) => mayFail(one) || this.#meets(one.action));
    this.#known.set(key, known);
    return known;
  }

  #meets(actions: readonly string[]): boolean {
    return actions.some((action) => {
      const known = this.#met.get(action) ?? this.#actions.some((one) => patternsMeet(one, action));
      this.#met.set(action, known);
      return known;
    });
  }
}

/** True for a statement whose evaluation can fail: it then denies every action (spec/evaluation §2.1). */
function mayFail({ effect, resource, condition }: Statement): boolean {
  const hasCondition = condition !== undefined && condition !== null;
  return hasCondition || !EFFECTS.includes(effect) || parseResourceText(resource) === undefined;
}

/** Statements that are in one of two policies alone. */
export function changedStatements(
  before: readonly Statement[],
  after: readonly Statement[],
): readonly Statement[] {
  const [old, now] = [before, after].map((all) => new Set(all.map((one) => JSON.stringify(one))));
  return [
    ...before.filter((one) => !now?.has(JSON.stringify(one))),
    ...after.filter((one) => !old?.has(JSON.stringify(one))),
  ];
}
