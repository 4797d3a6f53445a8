/** Exact comparisons in each dialect: the letter case counts, whatever the column's collation. */

import { type Column, type Fragment, join, NEVER } from "./fragment.ts";
import { UntranslatablePlanError } from "./residual-patterns.ts";

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

/** A pattern in pieces; `*` and `?` of a literal one stand for themselves. */
export type Pattern = readonly { readonly text: string; readonly literal: boolean }[];

const WILDCARD = /[*?]/;
/** The service moves behind a star byte by byte, so that two `?` may match one character there; SQL has no such thing. */
const BYTEWISE = /\*(?:\**\?){2}/;

/**
 * Holds where the text matches one of the patterns; without patterns nowhere.
 * @throws UntranslatablePlanError for a pattern that SQL would match otherwise than the service
 */
export function matchesOne(text: Fragment, patterns: readonly Pattern[], dialect: Dialect): Fragment {
  if (patterns.some((pattern) => signsOf(pattern) === "*")) return [...text, " IS NOT NULL"];
  const exact = patterns.filter((pattern) => !WILDCARD.test(signsOf(pattern)));
  const wild = patterns.filter((pattern) => WILDCARD.test(signsOf(pattern)));
  const conditions: Fragment[] = wild.map((pattern) => like(text, pattern, dialect));
  const texts = exact.map((pattern) => pattern.map((piece) => piece.text).join(""));
  if (exact.length > 0) conditions.push(isOneOf(text, texts, dialect));
  return join(conditions, "OR", NEVER);
}

/** The pattern with something else in place of the characters that only look like wildcards. */
function signsOf(pattern: Pattern): string {
  return pattern.map(({ text, literal }) => (literal ? text.replaceAll(/[*?]/g, "-") : text)).join("");
}

/** Holds where the text is one of the values. */
export function isOneOf(text: Fragment, values: readonly string[], dialect: Dialect): Fragment {
  if (values.length === 0) return NEVER;
  const list = values.flatMap((value, index): Fragment => (index === 0 ? [{ value }] : [", ", { value }]));
  const compared: Fragment = dialect === "postgres" ? text : [...text, " COLLATE BINARY"];
  return [...compared, " IN (", ...list, ")"];
}

/** `LIKE` of SQLite ignores the case of letters; its `GLOB` does not. */
function like(text: Fragment, pattern: Pattern, dialect: Dialect): Fragment {
  refuseBytewise(pattern);
  if (dialect === "sqlite") {
    const glob = pattern.map((piece) => piece.text.replaceAll(piece.literal ? /[[*?]/g : /\[/g, "[$&]"));
    return [...text, " GLOB ", { value: glob.join("") }];
  }
  const escaped = pattern.map((piece) => {
    const written = piece.text.replaceAll(/[\\%_]/g, "\\$&");
    return piece.literal ? written : written.replaceAll("*", "%").replaceAll("?", "_");
  });
  return [...text, " LIKE ", { value: escaped.join("") }, " ESCAPE '\\'"];
}

function refuseBytewise(pattern: Pattern): void {
  if (!BYTEWISE.test(signsOf(pattern))) return;
  const written = pattern.map(({ text }) => text).join("");
  throw new UntranslatablePlanError(
    `the pattern ${written} has "*" before two "?"; ask /access/v1/filter about the rows instead`,
  );
}
