/** The rows of audit records in the index (spec/decision-log §3.3): by actor, operation, target and event. */

import type { DecisionRow } from "../index/index-rows.ts";

/** A record of the audit log, as far as it is indexed. */
export interface AuditedRecord {
  readonly id: string;
  readonly at: string;
  readonly event: string;
  readonly actor?: string;
  readonly operation?: string;
  readonly changes?: readonly { readonly kind: string; readonly name: string; readonly of?: string }[];
}

/** Returns the rows of a record: one for each thing that it changes, one for each holder. */
export function auditRows(record: AuditedRecord): readonly DecisionRow[] {
  const { actor = null, operation = null, event, changes = [] } = record;
  const targets = changes.flatMap(({ kind, name, of }) => [
    `${kind} ${name}`,
    ...(of === undefined ? [] : [of]),
  ]);
  const shown: readonly (string | null)[] = targets.length === 0 ? [null] : [...new Set(targets)];
  return shown.map((target) => [actor, operation, target, event, null, 0]);
}
