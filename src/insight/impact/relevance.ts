/**
 * Policies that matter for a change: access can change only where a changed statement matches, so policies of other
 * actions need no comparison, and users who differ in these alone need only one.
 */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { patternsMeet } from "@svc-authorizer/policy/model/pattern-meeting.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";
import type { Pause } from "../../schedule/pace.ts";

const EVERYTHING = ["*"];
const EFFECTS = ["allow", "deny"];
const WILDCARD = /[*?]/;

/** Finds the policies that matter for changed statements. */
export class Relevance {
  /** Changed actions without wildcards, and those with some. */
  readonly #names: ReadonlySet<string>;
  readonly #patterns: readonly string[];
  readonly #pause: Pause;
  /** Action pattern → whether it meets a changed one. Policies repeat patterns. */
  readonly #met = new Map<string, boolean>();
  /** Id and version → answer. */
  readonly #known = new Map<string, boolean>();

  constructor(changed: readonly Statement[], pause: Pause) {
    const actions = new Set(changed.flatMap((one) => (mayFail(one) ? EVERYTHING : one.action)));
    this.#names = new Set([...actions].filter((one) => !WILDCARD.test(one)));
    this.#patterns = [...actions].filter((one) => WILDCARD.test(one));
    this.#pause = pause;
  }

  /** False only if the policy cannot make a difference to the change. */
  async has({
    id,
    version,
    statement,
  }: Pick<StoredPolicy, "id" | "version" | "statement">): Promise<boolean> {
    const key = `${id} ${version}`;
    const known = this.#known.get(key) ?? (await this.#hasAny(statement));
    this.#known.set(key, known);
    return known;
  }

  async #hasAny(statements: readonly Statement[]): Promise<boolean> {
    for (const one of statements) {
      if (mayFail(one)) return true;
      for (const action of one.action) {
        const turn = this.#pause();
        if (turn !== undefined) await turn;
        if (this.#meets(action)) return true;
      }
    }
    return false;
  }

  #meets(action: string): boolean {
    const known = this.#met.get(action) ?? this.#compare(action);
    this.#met.set(action, known);
    return known;
  }

  #compare(action: string): boolean {
    const isMet = (one: string): boolean => patternsMeet(one, action);
    if (this.#patterns.some(isMet)) return true;
    return WILDCARD.test(action) ? [...this.#names].some(isMet) : this.#names.has(action);
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
