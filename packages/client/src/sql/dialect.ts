/** Exact comparisons in each dialect: the letter case counts, whatever the column's collation. */

import { type Column, type Fragment, join, NEVER } from "./fragment.ts";

/** A database whose SQL this can write. */
export type Dialect = "postgres" | "sqlite";

/** Text of a column, compared by bytes. */
export function textOf(column: Column, dialect: Dialect): Fragment {
  return dialect === "postgres" ? ["CAST(", column, ' AS text) COLLATE "C"'] : ["CAST(", column, " AS TEXT)"];
}

/** Several texts and columns, one behind the other. */
export function concatenation(parts: readonly (string | Column)[], dialect: Dialect): Fragment {
  const joined = parts.flatMap((part, index): Fragment => {
    const one: Fragment = typeof part === "string" ? [{ value: part }] : plainText(part, dialect);
    return index === 0 ? one : [" || ", ...one];
  });
  return dialect === "postgres" ? ["(", ...joined, ') COLLATE "C"'] : ["(", ...joined, ")"];
}

function plainText(column: Column, dialect: Dialect): Fragment {
  return ["CAST(", column, dialect === "postgres" ? " AS text)" : " AS TEXT)"];
}

/** Holds where the text matches one of the patterns (`*` and `?`); without patterns nowhere. */
export function matchesOne(text: Fragment, patterns: readonly string[], dialect: Dialect): Fragment {
  if (patterns.includes("*")) return [...text, " IS NOT NULL"];
  const exact = patterns.filter((pattern) => !/[*?]/.test(pattern));
  const wild = patterns.filter((pattern) => /[*?]/.test(pattern));
  const conditions: Fragment[] = wild.map((pattern) => like(text, pattern, dialect));
  if (exact.length > 0) conditions.push(isOneOf(text, exact, dialect));
  return join(conditions, "OR", NEVER);
}

/** Holds where the text is one of the values. */
export function isOneOf(text: Fragment, values: readonly string[], dialect: Dialect): Fragment {
  if (values.length === 0) return NEVER;
  const list = values.flatMap((value, index): Fragment => (index === 0 ? [{ value }] : [", ", { value }]));
  const compared: Fragment = dialect === "postgres" ? text : [...text, " COLLATE BINARY"];
  return [...compared, " IN (", ...list, ")"];
}

/** `LIKE` of SQLite ignores the case of letters; its `GLOB` does not. */
function like(text: Fragment, pattern: string, dialect: Dialect): Fragment {
  if (dialect === "sqlite") return [...text, " GLOB ", { value: pattern.replaceAll("[", "[[]") }];
  const escaped = pattern
    .replace(/[\\%_]/g, "\\$&")
    .replaceAll("*", "%")
    .replaceAll("?", "_");
  return [...text, " LIKE ", { value: escaped }, " ESCAPE '\\'"];
}
