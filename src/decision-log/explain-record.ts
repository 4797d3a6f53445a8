/** Explains a record on the directory of its revision (decision-log.md §3.2). */

import { compileInSteps } from "../engine/compile.ts";
import { explainInSteps } from "../engine/explain.ts";
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

/** The directory and the engine, as an explanation needs them. */
export interface ExplainingParts {
  /**
   * The policies at the revision of the record of a user, or of the groups that were asserted for an unknown one;
   * undefined for an unknown user.
   */
  readonly policiesOf: (
    user: string,
    groups?: readonly string[],
  ) => Promise<readonly EffectivePolicy[] | undefined>;
  readonly partition: string;
  /** Runs long work in slices. */
  readonly run: <T>(steps: Generator<unknown, T>) => Promise<T>;
}

/** Explains the decisions of a record: a batch's first 20. The policies of each subject are compiled once. */
export async function explainRecord(
  record: LoggedDecision,
  { policiesOf, partition, run }: ExplainingParts,
): Promise<readonly RecordExplanation[]> {
  const explanations: RecordExplanation[] = [];
  const load = async (user: string | null, groups: readonly string[] | undefined) => {
    const policies = (user === null ? undefined : await policiesOf(user, groups)) ?? [];
    return { policies, compiled: await run(compileInSteps(policies, { partition, evaluator: "extended" })) };
  };
  const subjects = new Map<string, Awaited<ReturnType<typeof load>>>();
  for (const { user, groups, required, context } of questionsOf(record).slice(0, MOST_EXPLAINED)) {
    const key = JSON.stringify([user, groups]);
    const subject = subjects.get(key) ?? (await load(user, groups));
    subjects.set(key, subject);
    const { policies, compiled } = subject;
    const outcome = await run(explainInSteps(compiled, { user: user ?? "", required, context }));
    const via = new Map(policies.map((policy) => [policy.name, policy.via]));
    explanations.push({
      effect: outcome.effect,
      determining: outcome.determining.map((one) => ({ ...one, via: via.get(one.policy) ?? [] })),
      tree: outcome.tree,
      near_misses: outcome.nearMisses,
    });
  }
  return explanations;
}
