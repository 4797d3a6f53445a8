/** Plans as conditions of Drizzle. */

import type { Plan } from "@svc-authorizer/contract/decision-api.gen.ts";
import type { DeepReadonly } from "../questions.ts";
import { asTemplate } from "./fragment.ts";
import { type Dialect, planToFragment, type RowMapping } from "./plan-to-sql.ts";

/** The part of Drizzle's `sql` that a condition needs. */
interface SqlTag<Result> {
  (strings: TemplateStringsArray, ...values: unknown[]): Result;
  identifier(name: string): unknown;
}

/**
 * Returns a condition for `where(…)`.
 * @param sql Drizzle's `sql`
 * @throws UntranslatablePlanError where SQL cannot say exactly the same
 */
export function planToDrizzle<Result>(
  sql: SqlTag<Result>,
  plan: DeepReadonly<Plan>,
  mapping: RowMapping,
  dialect: Dialect,
): Result {
  const { strings, values } = asTemplate(planToFragment(plan, mapping, dialect));
  const filled = values.map((one) => ("column" in one ? identifier(sql, one.column) : one.value));
  return sql(Object.assign(strings, { raw: strings }), ...filled);
}

function identifier<Result>(sql: SqlTag<Result>, name: string): unknown {
  const dot = name.indexOf(".");
  if (dot < 0) return sql.identifier(name);
  const template = ["", ".", ""];
  const parts = [sql.identifier(name.slice(0, dot)), sql.identifier(name.slice(dot + 1))];
  return sql(Object.assign(template, { raw: template }), ...parts);
}
