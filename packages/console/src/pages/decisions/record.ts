/** Records of decisions, in the words of the page. */

import type { DecisionRecord } from "@svc-authorizer/contract/management-api.gen.ts";

/** True for a text that stands for a value that the log masks. */
function isMasked(text: string): boolean {
  return /^masked:[0-9a-f]{32}$/.test(text);
}

/** One decision of a batch, to be told from the others: who, what, on what. */
export function nameOfItem(record: DecisionRecord, index: number): string | undefined {
  const item = record.items?.filter(({ action }) => (action ?? record.action) !== undefined)[index];
  if (item === undefined) return undefined;
  const { id } = item.subject ?? record.subject ?? { id: null };
  return `${id ?? "nobody"}, ${item.action ?? record.action} on ${item.resource.arn}`;
}

/** The outcome in a word. */
export function outcomeOf({ decision, counts }: DecisionRecord): string {
  if (counts !== undefined) return `${counts.allow} allowed, ${counts.neutral + counts.deny} refused`;
  return decision === true ? "Allowed" : "Refused";
}

/** The action; of a batch of several actions, which way it came in: a record of these names the first one alone. */
export function actionOf({ action, operation, items = [], entrance }: DecisionRecord): string {
  const actions = new Set(items.map((item) => item.action ?? action));
  return actions.size > 1 ? entrance.replaceAll("_", " ") : (action ?? operation ?? "several");
}

/** The resource, or how many there were. */
export function resourceOf({ resource, counts, items = [], operation }: DecisionRecord): string {
  if (resource !== undefined) return resource.arn;
  if (counts === undefined) return operation ?? "";
  const resources = new Set(items.map((item) => item.resource.arn));
  const [first = ""] = resources;
  const all = counts.allow + counts.neutral + counts.deny;
  return resources.size === 1 ? first : `${all.toLocaleString("en")} decisions`;
}

/**
 * A policy that would have allowed what a record refused; undefined where it names no single permission that can be read, and
 * where none would have: a deny wins, and nobody's policies speak for an unknown user.
 */
export function policyFrom({ action, resource, effect, error }: DecisionRecord): string | undefined {
  if (effect !== "neutral" || error !== undefined) return undefined;
  if (action === undefined || resource === undefined) return undefined;
  if (isMasked(action) || isMasked(resource.arn)) return undefined;
  const statement = [{ effect: "allow", action: [action], resource: resource.arn }];
  return JSON.stringify(statement, null, 2);
}
