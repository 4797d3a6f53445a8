/** Translates the rest of a statement's condition to SQL (spec/decision-api §4): a missing field is a column that is NULL. */

import { parseBoolean } from "@svc-authorizer/policy/model/truth-values.ts";
import { piecesOf, textOfPieces } from "./condition-texts.ts";
import { type Dialect, isOneOf, matchesOne, textOf } from "./dialect.ts";
import { ALWAYS, type Column, type Fragment, join, NEVER, not } from "./fragment.ts";
import { type NumberColumn, numberIn, numberOf } from "./numbers.ts";
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

/** The place of the values of rows. */
interface Rows {
  readonly columns: FieldColumns;
  readonly dialect: Dialect;
}

/** One field under one operator. */
interface Test {
  readonly holds: Fragment;
  /** Holds where the service cannot read the value of the row: an allow does not hold then, and a deny does. */
  readonly unreadable?: Fragment;
}

/**
 * Translates the condition of a statement; all of its operators and fields must hold.
 * @throws UntranslatablePlanError for an operator, a field or a value without a counterpart
 */
export function conditionToSql(effect: "allow" | "deny", condition: Condition, rows: Rows): Fragment {
  const tests = Object.entries(condition).flatMap(([operator, fields]) =>
    Object.entries(fields).map(([field, values]) => {
      const column = Object.hasOwn(rows.columns, field) ? rows.columns[field] : undefined;
      if (column === undefined) {
        throw new UntranslatablePlanError(
          `the condition ${operator} reads ${field}, for which the mapping has no column; add it to "fields"`,
        );
      }
      return test(operator, column, [values].flat().map(String), rows.dialect);
    }),
  );
  const holds = join(
    tests.map((one) => one.holds),
    "AND",
    ALWAYS,
  );
  const unreadable = tests.flatMap((one) => (one.unreadable === undefined ? [] : [one.unreadable]));
  return effect === "deny" ? join([...unreadable, holds], "OR", NEVER) : holds;
}

function test(operator: string, column: Column, values: readonly string[], dialect: Dialect): Test {
  const isMissing: Fragment = [column, " IS NULL"];
  if (operator === "Null") return { holds: nullTest(isMissing, values) };
  const ifExists = operator.endsWith("IfExists");
  const base = ifExists ? operator.slice(0, -"IfExists".length) : operator;
  const negated = /^(?:String|Numeric)Not/.test(base);
  const positive = base.replace(/^(String|Numeric)Not/, "$1");
  // Those two of the data server know no variables, and do not hold for a missing field.
  const isPlain = operator === "StringLike" || operator === "StringNotLike";
  const held = COMPARISONS.has(positive)
    ? numberTest(positive, negated, numberIn(column, dialect), values)
    : textTest(positive, negated, column, { values, isPlain, dialect });
  if (held === undefined) {
    throw new UntranslatablePlanError(`the condition operator ${operator} has no counterpart in SQL`);
  }
  const known: Fragment = [column, " IS NOT NULL"];
  const present = join([known, held], "AND", ALWAYS);
  const holdsWhenMissing = ifExists || (negated && !isPlain);
  return {
    holds: holdsWhenMissing ? join([isMissing, present], "OR", NEVER) : present,
    ...(COMPARISONS.has(positive) && {
      unreadable: join([known, not(numberIn(column, dialect).readable)], "AND", ALWAYS),
    }),
  };
}

interface Texts {
  readonly values: readonly string[];
  readonly isPlain: boolean;
  readonly dialect: Dialect;
}

function textTest(
  operator: string,
  negated: boolean,
  column: Column,
  { values, isPlain, dialect }: Texts,
): Fragment | undefined {
  const text = textOf(column, dialect);
  let holds: Fragment;
  if (operator === "StringEquals") holds = isOneOf(text, values.map(textOfPieces), dialect);
  else if (operator === "StringLike") {
    const patterns = values.map((value) => (isPlain ? [{ text: value, literal: false }] : piecesOf(value)));
    holds = matchesOne(text, patterns, dialect);
  } else return undefined;
  return negated ? not(holds) : holds;
}

function numberTest(
  operator: string,
  negated: boolean,
  { readable, value }: NumberColumn,
  values: readonly string[],
): Fragment {
  const comparison = ` ${COMPARISONS.get(operator)} `;
  const tests = values.map((wanted): Fragment => [...value, comparison, { value: numberOf(wanted) }]);
  const holds = join(tests, "OR", NEVER);
  const compared = negated ? not(holds) : holds;
  return ["CASE WHEN ", ...readable, " THEN ", ...compared, " ELSE 1 = 0 END"];
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
