/** Records of decisions (policies/schema/decision.schema.json), as far as the page shows them. */

import type { DecisionRecord, Effect, Via } from "@svc-authorizer/contract/management-api.gen.ts";

/** A decision of a record, or the decisions of one call in one record. */
export interface ShownRecord {
  readonly id: string;
  readonly at: string;
  readonly node: string;
  readonly revision: number;
  readonly entrance: string;
  readonly caller?: { readonly name: string; readonly peer?: string };
  readonly request_id?: string;
  readonly trace_id?: string;
  readonly subject?: { readonly type: string; readonly id: string | null };
  readonly action?: string;
  readonly resource?: { readonly arn: string };
  readonly operation?: string | null;
  readonly context?: Readonly<Record<string, string | null | readonly string[]>>;
  readonly decision?: boolean;
  readonly effect?: Effect;
  readonly determining?: readonly {
    readonly policy: string;
    readonly statement: number;
    readonly sid?: string;
    readonly via: readonly Via[];
  }[];
  readonly error?: string;
  readonly duration_us?: number;
  readonly counts?: Readonly<Record<Effect, number>>;
  /** The decisions of a batch; what they do not name is that of the record. */
  readonly items?: readonly {
    readonly subject?: { readonly type: string; readonly id: string | null };
    readonly action?: string;
    readonly resource: { readonly arn: string };
  }[];
}

/** One decision of a batch, to be told from the others: who, what, on what. */
export function nameOfItem(record: ShownRecord, index: number): string | undefined {
  const item = record.items?.filter(({ action }) => (action ?? record.action) !== undefined)[index];
  if (item === undefined) return undefined;
  const { id } = item.subject ?? record.subject ?? { id: null };
  return `${id ?? "nobody"}, ${item.action ?? record.action} on ${item.resource.arn}`;
}

/** The record as the page shows it. The service checked its form when it wrote it. */
export function shown(record: DecisionRecord): ShownRecord {
  return record as unknown as ShownRecord;
}

/** The outcome in a word. */
export function outcomeOf({ decision, counts }: ShownRecord): string {
  if (counts !== undefined) return `${counts.allow} allowed, ${counts.neutral + counts.deny} refused`;
  return decision === true ? "Allowed" : "Refused";
}

/** The action; of a batch of several actions, which way it came in: a record of these names the first one alone. */
export function actionOf({ action, operation, items = [], entrance }: ShownRecord): string {
  const actions = new Set(items.map((item) => item.action ?? action));
  return actions.size > 1 ? entrance.replaceAll("_", " ") : (action ?? operation ?? "several");
}

/** The resource, or how many there were. */
export function resourceOf({ resource, counts, items = [], operation }: ShownRecord): string {
  if (resource !== undefined) return resource.arn;
  if (counts === undefined) return operation ?? "";
  const resources = new Set(items.map((item) => item.resource.arn));
  const [first = ""] = resources;
  const all = counts.allow + counts.neutral + counts.deny;
  return resources.size === 1 ? first : `${all.toLocaleString("en")} decisions`;
}

/** A policy that would have allowed what a record refused; undefined where it names no single permission. */
export function policyFrom({ action, resource, decision }: ShownRecord): string | undefined {
  if (decision !== false || action === undefined || resource === undefined) return undefined;
  const statement = [{ effect: "allow", action: [action], resource: resource.arn }];
  return JSON.stringify(statement, null, 2);
}
