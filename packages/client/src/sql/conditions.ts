/** Translates the rest of a statement's condition to SQL (spec/decision-api §4): a missing field is a column that is NULL. */

import { parseBoolean } from "@svc-authorizer/policy/model/truth-values.ts";
import { type Dialect, isOneOf, matchesOne, textOf } from "./dialect.ts";
import { ALWAYS, type Column, type Fragment, join, NEVER, not } from "./fragment.ts";
import { UntranslatablePlanError } from "./residual-patterns.ts";

/** Operator → field → values, as in a policy. */
export type Condition = Readonly<Record<string, Readonly<Record<string, readonly unknown[] | unknown>>>>;

/** Columns of condition fields, such as `resource.owner`. */
export type FieldColumns = Readonly<Record<string, Column>>;

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ["NumericEquals", "="],
  ["NumericLessThan", "<"],
  ["NumericLessThanEquals", "<="],
  ["NumericGreaterThan", ">"],
  ["NumericGreaterThanEquals", ">="],
]);

/**
 * Translates a condition; all of its operators and fields must hold.
 * @throws UntranslatablePlanError for an operator or a field without a counterpart
 */
export function conditionToSql(condition: Condition, columns: FieldColumns, dialect: Dialect): Fragment {
  const tests = Object.entries(condition).flatMap(([operator, fields]) =>
    Object.entries(fields).map(([field, values]) => {
      const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
      if (column === undefined) {
        throw new UntranslatablePlanError(
          `the condition ${operator} reads ${field}, for which the mapping has no column; add it to "fields"`,
        );
      }
      return test(operator, column, [values].flat().map(String), dialect);
    }),
  );
  return join(tests, "AND", ALWAYS);
}

function test(operator: string, column: Column, values: readonly string[], dialect: Dialect): Fragment {
  const isMissing: Fragment = [column, " IS NULL"];
  if (operator === "Null") return nullTest(isMissing, values);
  const ifExists = operator.endsWith("IfExists");
  const base = ifExists ? operator.slice(0, -"IfExists".length) : operator;
  const negated = /^(?:String|Numeric)Not/.test(base);
  const positive = positiveTest(base.replace(/^(String|Numeric)Not/, "$1"), column, values, dialect);
  if (positive === undefined) {
    throw new UntranslatablePlanError(`the condition operator ${operator} has no counterpart in SQL`);
  }
  const known: Fragment = [column, " IS NOT NULL"];
  const held = join([known, negated ? not(positive) : positive], "AND", ALWAYS);
  // StringNotLike of the data server does not hold for a missing field; the other negated operators do.
  const holdsWhenMissing = ifExists || (negated && base !== "StringNotLike");
  return holdsWhenMissing ? join([isMissing, held], "OR", NEVER) : held;
}

function positiveTest(
  operator: string,
  column: Column,
  values: readonly string[],
  dialect: Dialect,
): Fragment | undefined {
  const text = textOf(column, dialect);
  if (operator === "StringEquals") return isOneOf(text, values, dialect);
  if (operator === "StringLike") return matchesOne(text, values, dialect);
  const comparison = COMPARISONS.get(operator);
  if (comparison === undefined) return undefined;
  const tests = values.map((value): Fragment => [column, ` ${comparison} `, { value: numberOf(value) }]);
  return join(tests, "OR", NEVER);
}

function nullTest(isMissing: Fragment, values: readonly string[]): Fragment {
  const tests = values.map((value): Fragment => {
    const wanted = parseBoolean(value);
    if (wanted === undefined) {
      throw new UntranslatablePlanError(
        `the condition value ${JSON.stringify(value)} is neither true nor false`,
      );
    }
    return wanted ? isMissing : not(isMissing);
  });
  return join(tests, "OR", NEVER);
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new UntranslatablePlanError(`the condition value ${JSON.stringify(text)} is no number`);
  }
  return value;
}
