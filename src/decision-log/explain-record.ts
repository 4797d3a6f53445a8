/** Explains a record on the directory of its revision (spec/decision-log §3.2). */

import { type CompiledPolicies, compileInSteps } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { explainInSteps } from "@svc-authorizer/policy/engine/explain/explain.ts";
import type {
  DeterminingStatement,
  Effect,
  EffectTree,
  NearMiss,
} from "@svc-authorizer/policy/model/decision.ts";
import type { EffectivePolicy } from "@svc-authorizer/policy/model/policy.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import {
  isMasked,
  isMaskedField,
  questionsOf,
  type RecordedQuestion,
} from "@svc-authorizer/policy/records/recorded-questions.ts";

/** Most decisions of a batch that are explained. */
const MOST_EXPLAINED = 20;

/** The reasons of one decision of a record. */
interface RecordExplanation {
  readonly effect: Effect;
  readonly determining: readonly DeterminingStatement[];
  /** Absent where the user or the permission is masked. */
  readonly tree?: EffectTree;
  readonly near_misses: readonly NearMiss[];
  /** True where the user or the permission is masked: the decision cannot be made again, and has no reasons. */
  readonly masked?: true;
  /** True where these policies give another effect: something else decided, such as the rule that keeps mirrors read-only. */
  readonly unexplained?: true;
  /** The reason why nothing was evaluated: of an unknown action, for example. */
  readonly error?: string;
  /** Condition fields that the policies read and that the record has masked: the reasons may be others. */
  readonly masked_fields?: readonly string[];
}

/** The directory and the engine, as an explanation needs them. */
interface ExplainingParts {
  /**
   * The policies of a user at a revision, or of the groups that were asserted for an unknown one; undefined for an
   * unknown user.
   */
  readonly policiesOf: (
    revision: number,
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
  const load = async ({ revision, user, groups }: RecordedQuestion) => {
    const policies = (user === null ? undefined : await policiesOf(revision, user, groups)) ?? [];
    return { policies, compiled: await run(compileInSteps(policies, { partition, evaluator: "extended" })) };
  };
  const subjects = new Map<string, Awaited<ReturnType<typeof load>>>();
  for (const question of questionsOf(record).slice(0, MOST_EXPLAINED)) {
    const { revision, user, groups, required, context, error } = question;
    if (isMasked(question)) {
      explanations.push({ effect: question.effect, determining: [], near_misses: [], masked: true });
      continue;
    }
    if (error !== undefined) {
      explanations.push({ effect: question.effect, determining: [], near_misses: [], error });
      continue;
    }
    const key = JSON.stringify([revision, user, groups]);
    const subject = subjects.get(key) ?? (await load(question));
    subjects.set(key, subject);
    const { policies, compiled } = subject;
    const outcome = await run(explainInSteps(compiled, { user: user ?? "", required, context }));
    const maskedFields = readBy(compiled).filter((field) => isMaskedField(question, field));
    if (outcome.effect !== question.effect && maskedFields.length === 0) {
      explanations.push({ effect: question.effect, determining: [], near_misses: [], unexplained: true });
      continue;
    }
    const via = new Map(policies.map((policy) => [policy.name, policy.via]));
    explanations.push({
      effect: outcome.effect,
      determining: outcome.determining.map((one) => ({ ...one, via: via.get(one.policy) ?? [] })),
      tree: outcome.tree,
      near_misses: outcome.nearMisses,
      ...(maskedFields.length > 0 && { masked_fields: maskedFields }),
    });
  }
  return explanations;
}

/** The condition fields that policies read. */
function readBy({ statements }: CompiledPolicies): readonly string[] {
  return [...new Set(statements.flatMap(({ condition }) => [...(condition?.reads ?? [])]))].sort();
}
