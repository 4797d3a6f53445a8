/**
 * Turns a plan (spec/decision-api §3.3) into the condition of a query: it selects exactly the rows that `/filter` would
 * allow.
 */

import type { Plan } from "@svc-authorizer/contract/decision-api.gen.ts";
import type { DeepReadonly } from "../questions.ts";
import { type Condition, conditionToSql, type FieldColumns } from "./conditions.ts";
import { concatenation, type Dialect, matchesOne, textOf } from "./dialect.ts";
import { ALWAYS, asTemplate, type Column, type Fragment, join, NEVER, not } from "./fragment.ts";
import { residualsOf, UntranslatablePlanError } from "./residual-patterns.ts";

export { type Column, type Condition, type Dialect, type FieldColumns, UntranslatablePlanError };

/** The ARN and the condition fields of a row. */
export interface RowMapping {
  /**
   * The ARN of a row: texts and columns in order, such as `["arn:svc:fs:::repository/", {column: "name"}]`. A single
   * column at the end can use an index. The first text includes the five colons before the resource.
   */
  readonly resource: readonly [string, ...(string | Column)[]];
  /** Columns of fields that conditions read, such as `{"resource.owner": {column: "owner"}}`. */
  readonly fields?: FieldColumns;
}

/** A condition for `WHERE`, with its parameters. */
export interface SqlCondition {
  /** With `$1`, `$2` … for PostgreSQL and `?` for SQLite. */
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Drivers take at most 65,535 parameters (PostgreSQL) or 32,766 (SQLite). */
const MOST_PARAMS = 30_000;

/**
 * Translates a plan.
 * @throws UntranslatablePlanError where SQL cannot say exactly the same; nothing is left out in silence
 */
export function planToSql(plan: DeepReadonly<Plan>, mapping: RowMapping, dialect: Dialect): SqlCondition {
  const { strings, values } = asTemplate(planToFragment(plan, mapping, dialect));
  const params: unknown[] = [];
  const marks = values.map((value) => {
    if ("column" in value) return quotedName(value.column, dialect);
    params.push(value.value);
    return dialect === "postgres" ? `$${params.length}` : "?";
  });
  return { sql: strings.map((text, index) => text + (marks[index] ?? "")).join(""), params };
}

/** The same as parts, for libraries with template tags of their own. */
export function planToFragment(plan: DeepReadonly<Plan>, mapping: RowMapping, dialect: Dialect): Fragment {
  if (plan.kind === "never") return NEVER;
  if (plan.kind === "always") return ALWAYS;
  const row = rowOf(mapping, dialect);
  const conditional = (effect: "allow" | "deny"): Fragment[] =>
    plan.conditional
      .filter((one) => one.effect === effect)
      .map(({ resource, condition }) =>
        join(
          [
            row([resource]),
            conditionToSql(effect, condition as Condition, { columns: mapping.fields ?? {}, dialect }),
          ],
          "AND",
          ALWAYS,
        ),
      );
  const allowed = join([row(plan.allow), ...conditional("allow")], "OR", NEVER);
  const denied = join([row(plan.deny), ...conditional("deny")], "OR", NEVER);
  const condition = denied === NEVER ? allowed : join([allowed, not(denied)], "AND", ALWAYS);
  const params = condition.filter((part) => typeof part === "object" && "value" in part).length;
  if (params > MOST_PARAMS) {
    throw new UntranslatablePlanError(`the plan has ${params} patterns, more than a query can take`);
  }
  return condition;
}

/** The condition that a row's ARN matches one of some patterns. */
function rowOf(mapping: RowMapping, dialect: Dialect): (patterns: readonly string[]) => Fragment {
  const [start, ...rest] = mapping.resource;
  const [only] = rest;
  const isColumn = rest.length === 1 && typeof only === "object";
  const text = isColumn ? textOf(only, dialect) : concatenation(rest.length === 0 ? [""] : rest, dialect);
  return (patterns) => {
    const residuals = [...new Set(patterns.flatMap((pattern) => residualsOf(pattern, start)))];
    const written = residuals.map((residual) => [{ text: residual, literal: false }]);
    return residuals.length === 0 ? NEVER : matchesOne(text, written, dialect);
  };
}

/**
 * A quoted name; a quote within it is doubled. Many builds of SQLite take a name in double quotes that no column has for a
 * text, which is never NULL and equal to nothing; what stands between backticks is a name everywhere.
 */
export function quotedName(name: string, dialect: Dialect): string {
  const quote = dialect === "sqlite" ? "`" : '"';
  return name
    .split(".")
    .map((part) => quote + part.replaceAll(quote, quote + quote) + quote)
    .join(".");
}
