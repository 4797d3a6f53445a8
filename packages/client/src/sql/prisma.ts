/** Plans as raw conditions of Prisma (`$queryRaw`). */

import type { Plan } from "@svc-authorizer/contract/decision-api.gen.ts";
import type { DeepReadonly } from "../questions.ts";
import { asTemplate } from "./fragment.ts";
import { type Dialect, planToFragment, quotedName, type RowMapping } from "./plan-to-sql.ts";

/** The part of `Prisma` that a condition needs. */
interface PrismaLike<Result> {
  sql(strings: readonly string[], ...values: unknown[]): Result;
  raw(text: string): unknown;
}

/**
 * Returns a condition to be put into `prisma.$queryRaw`.
 * @param Prisma the `Prisma` of your client
 * @throws UntranslatablePlanError where SQL cannot say exactly the same
 */
export function planToPrisma<Result>(
  Prisma: PrismaLike<Result>,
  plan: DeepReadonly<Plan>,
  mapping: RowMapping,
  dialect: Dialect,
): Result {
  const { strings, values } = asTemplate(planToFragment(plan, mapping, dialect));
  const filled = values.map((one) =>
    "column" in one ? Prisma.raw(quotedName(one.column, dialect)) : one.value,
  );
  return Prisma.sql(strings, ...filled);
}
