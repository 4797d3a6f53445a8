/** The rows of records in the index (decision-log.md §3.3). */

import type { LoggedDecision } from "../record.ts";

/** Subject, action, resource, effect and policy of one decision; of an audit record actor, operation, target and event. */
export type DecisionRow = readonly [string | null, string | null, string | null, string, string | null];

/** The rows of a record: one for each decision and each statement that decided it. */
export function decisionRows(record: LoggedDecision): readonly DecisionRow[] {
  const own = { subject: record.subject.id, action: record.action ?? null };
  const items = record.items ?? [];
  if (items.length === 0) {
    const arn = record.resource?.arn ?? null;
    return withPolicies([own.subject, own.action, arn, record.effect], record.determining);
  }
  return items.flatMap(({ subject, action, resource, effect = "allow", determining }) =>
    withPolicies([subject?.id ?? own.subject, action ?? own.action, resource.arn, effect], determining),
  );
}

function withPolicies(
  decision: readonly [string | null, string | null, string | null, string],
  determining: LoggedDecision["determining"],
): readonly DecisionRow[] {
  if (determining.length === 0) return [[...decision, null]];
  return determining.map(({ policy }) => [...decision, policy] as const);
}
