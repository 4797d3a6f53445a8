/** Explains a record on the directory of its revision (decision-log.md §3.2). */

import { compile } from "../engine/compile.ts";
import { explain } from "../engine/explain.ts";
import type { DeterminingStatement, Effect, EffectTree, NearMiss } from "../model/decision.ts";
import type { EffectivePolicy } from "../model/policy.ts";
import type { LoggedDecision } from "./record.ts";
import { questionsOf } from "./recorded-questions.ts";

/** Most decisions of a batch that are explained. */
const MOST_EXPLAINED = 20;

/** The reasons of one decision of a record. */
export interface RecordExplanation {
  readonly effect: Effect;
  readonly determining: readonly DeterminingStatement[];
  readonly tree: EffectTree;
  readonly near_misses: readonly NearMiss[];
}

/**
 * Explains the decisions of a record: a batch's first 20.
 * @param policiesOf the policies at the revision of the record of a user, or of the groups that were asserted for an
 * unknown one; undefined for an unknown user
 */
export async function explainRecord(
  record: LoggedDecision,
  policiesOf: (user: string, groups?: readonly string[]) => Promise<readonly EffectivePolicy[] | undefined>,
  partition: string,
): Promise<readonly RecordExplanation[]> {
  const explanations: RecordExplanation[] = [];
  for (const { user, groups, required, context } of questionsOf(record).slice(0, MOST_EXPLAINED)) {
    const policies = user === null ? undefined : await policiesOf(user, groups);
    const compiled = compile(policies ?? [], { partition, evaluator: "extended" });
    const outcome = explain(compiled, { user: user ?? "", required, context });
    const via = new Map(policies?.map((policy) => [policy.name, policy.via]));
    explanations.push({
      effect: outcome.effect,
      determining: outcome.determining.map((one) => ({ ...one, via: via.get(one.policy) ?? [] })),
      tree: outcome.tree,
      near_misses: outcome.nearMisses,
    });
  }
  return explanations;
}
