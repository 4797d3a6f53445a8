/** The conditions of SQL for a filter of records. */

import type { RecordFilter } from "./record-filter.ts";

/** Conditions on `records r`, and the values for their question marks. */
interface Clauses {
  readonly where: readonly string[];
  readonly values: readonly string[];
}

/** Returns the conditions of a filter. */
export function clausesOf(filter: RecordFilter): Clauses {
  const times = timeClauses(filter, "r.at");
  const where = [...times.where];
  const values = [...times.values];
  const decisions = decisionClauses(filter);
  if (decisions.where.length > 0) {
    const conditions = decisions.where.join(" AND ");
    // What names a subject or a policy exactly is found by its index, else records are tried from the newest on.
    where.push(
      decisions.indexed
        ? `r.n IN (SELECT d.n FROM decisions d WHERE ${conditions})`
        : `EXISTS (SELECT 1 FROM decisions d WHERE d.n = r.n AND ${conditions})`,
    );
    values.push(...decisions.values);
  }
  return { where, values };
}

/** Returns the conditions of a filter on a time. */
export function timeClauses(
  { since, until }: Pick<RecordFilter, "since" | "until">,
  column: string,
): Clauses {
  const where: string[] = [];
  const values: string[] = [];
  if (since !== undefined) {
    where.push(`${column} >= ?`);
    values.push(new Date(since).toISOString());
  }
  if (until !== undefined) {
    where.push(`${column} < ?`);
    values.push(new Date(until).toISOString());
  }
  return { where, values };
}

function decisionClauses(filter: RecordFilter): Clauses & { readonly indexed: boolean } {
  const { subject, action, resource, policy, decision, event } = filter;
  const where: string[] = [];
  const values: string[] = [];
  const texts = { subject, action, arn: resource, policy, effect: event };
  for (const [column, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    where.push(hasWildcard(text) ? `d.${column} GLOB ?` : `d.${column} = ?`);
    // GLOB knows our wildcards and sets of characters in brackets, which we do not have.
    values.push(hasWildcard(text) ? text.replaceAll("[", "[[]") : text);
  }
  if (decision === "allow") where.push("d.effect = 'allow'");
  if (decision === "deny") where.push("d.effect <> 'allow'");
  if (decision === "neutral") where.push("d.effect = 'neutral'");
  const isExact = (text: string | undefined) => text !== undefined && !hasWildcard(text);
  return { where, values, indexed: isExact(subject) || isExact(policy) };
}

function hasWildcard(text: string): boolean {
  return /[*?]/.test(text);
}

/** Returns the part of a statement that has the conditions; "" for none. */
export function whereOf(clauses: readonly string[]): string {
  return clauses.length === 0 ? "" : `WHERE ${clauses.join(" AND ")}`;
}
