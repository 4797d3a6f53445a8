/** Plans as conditions of Kysely. */

import type { Plan } from "@svc-authorizer/contract/decision-api.gen.ts";
import type { DeepReadonly } from "../questions.ts";
import { asTemplate } from "./fragment.ts";
import { type Dialect, planToFragment, type RowMapping } from "./plan-to-sql.ts";

/** The part of Kysely's `sql` that a condition needs. */
interface SqlTag<Result> {
  (strings: TemplateStringsArray, ...values: unknown[]): Result;
  ref(name: string): unknown;
}

/**
 * Returns a condition for `where(…)`.
 * @param sql Kysely's `sql`
 * @throws UntranslatablePlanError where SQL cannot say exactly the same
 */
export function planToKysely<Result>(
  sql: SqlTag<Result>,
  plan: DeepReadonly<Plan>,
  mapping: RowMapping,
  dialect: Dialect,
): Result {
  const { strings, values } = asTemplate(planToFragment(plan, mapping, dialect));
  const filled = values.map((one) => ("column" in one ? sql.ref(one.column) : one.value));
  return sql(Object.assign(strings, { raw: strings }), ...filled);
}
