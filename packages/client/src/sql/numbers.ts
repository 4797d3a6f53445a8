/**
 * Numbers in columns of any type (spec/security §3.2): a text is a number where the service reads one, and what it cannot read
 * is neither equal, nor less, nor more.
 */

import { parseNumber } from "@svc-authorizer/policy/model/condition-values.ts";
import type { Dialect } from "./dialect.ts";
import { type Column, type Fragment, fragment } from "./fragment.ts";
import { UntranslatablePlanError } from "./residual-patterns.ts";

const LARGEST: Fragment = [String(Number.MAX_SAFE_INTEGER)];
/** A decimal number. Longer exponents have no double; braces, because some drivers take `?` for a parameter. */
const DECIMAL: Fragment = ["'^-{0,1}[0-9]+([.][0-9]+){0,1}([eE][-+]{0,1}0*[0-9]{1,3}){0,1}$'"];

/** A column as a number. */
export interface NumberColumn {
  /** True or false, and NULL or false for NULL. */
  readonly readable: Fragment;
  /** Fails or means nothing where it is not readable: to be asked within a `CASE` alone. */
  readonly value: Fragment;
}

/** The number in a column. */
export function numberIn(column: Column, dialect: Dialect): NumberColumn {
  return dialect === "postgres" ? inPostgres(column) : inSqlite(column);
}

/**
 * The number that a condition names.
 * @throws UntranslatablePlanError for a text that is none
 */
export function numberOf(text: string): number {
  const value = parseNumber(text);
  if (value !== undefined) return value;
  throw new UntranslatablePlanError(`the condition value ${JSON.stringify(text)} is no number`);
}

function inPostgres(column: Column): NumberColumn {
  const value = fragment`CAST(CAST(${column} AS text) AS numeric)`;
  const hasDouble = fragment`abs(${value}) <= ${LARGEST} AND (${value} = 0 OR abs(${value}) > 1e-300)`;
  // A number of more digits than a double has is not read, as it would be taken for its neighbour.
  const isExact = fragment`CAST(CAST(CAST(${value} AS double precision) AS text) AS numeric) = ${value}`;
  const checked = fragment`CASE WHEN ${hasDouble} THEN ${isExact} ELSE false END`;
  const isDecimal = fragment`CAST(${column} AS text) ~ ${DECIMAL}`;
  return { readable: fragment`CASE WHEN ${isDecimal} THEN ${checked} ELSE false END`, value };
}

function inSqlite(column: Column): NumberColumn {
  const magnitude = fragment`(CASE WHEN ${column} GLOB '-*' THEN substr(${column}, 2) ELSE ${column} END)`;
  // With a digit before it, it is JSON also where it begins with zeros.
  const isDecimal = fragment`${magnitude} GLOB '[0-9]*' AND ${magnitude} GLOB '*[0-9]' AND json_valid('1' || ${magnitude})`;
  // SQLite cannot tell which longer fractions a double holds exactly.
  const isExact = fragment`(length(${column}) <= 15 OR ${magnitude} NOT GLOB '*[^0-9]*')`;
  const hasDouble = fragment`abs(CAST(${column} AS REAL)) <= ${LARGEST}`;
  const text = fragment`${isDecimal} AND ${isExact} AND ${hasDouble}`;
  const integer = fragment`${column} BETWEEN -${LARGEST} AND ${LARGEST}`;
  const real = fragment`abs(${column}) <= ${LARGEST}`;
  return {
    readable: fragment`CASE typeof(${column}) WHEN 'integer' THEN ${integer} WHEN 'real' THEN ${real} WHEN 'text' THEN ${text} ELSE 0 END`,
    value: fragment`CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS REAL) ELSE ${column} END`,
  };
}
