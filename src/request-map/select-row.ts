/** Selects a row by query and headers among the rows with the same method and path. */

import type { CompiledRow } from "./compiled-row.ts";
import type { QueryParameters } from "./query-parameters.ts";
import { Unreadable } from "./unreadable.ts";

/** Rows that share a method and a path. */
export interface Operations {
  readonly rows: CompiledRow[];
}

function selects(
  { selectors, row }: CompiledRow,
  query: QueryParameters,
  header: (name: string) => string | undefined,
): boolean {
  return (
    selectors.every(({ name, value }) => {
      const found = query.values.get(name);
      return found !== undefined && (value === undefined || found === value);
    }) && row.headers.every((name) => header(name) !== undefined)
  );
}

/** True if every selector of `general` is also one of `special`. */
function covers({ row: special }: CompiledRow, { row: general }: CompiledRow): boolean {
  return (
    general.query.every((it) => special.query.includes(it)) &&
    general.headers.every((it) => special.headers.includes(it))
  );
}

/**
 * The row that the request selects, or undefined. A request is refused if it selects two rows of which neither is more
 * specific (`?uploads&location`), since servers differ in the order of their checks, or if it repeats a parameter that
 * one of the rows reads.
 */
export function selectRow(
  { rows }: Operations,
  query: QueryParameters,
  header: (name: string) => string | undefined,
): CompiledRow | Unreadable | undefined {
  for (const name of query.repeated) {
    if (rows.some(({ queryNames }) => queryNames.has(name))) {
      return new Unreadable(`the parameter ${name} is repeated`);
    }
  }
  const selected = rows.filter((row) => selects(row, query, header));
  if (selected.length <= 1) return selected[0];
  return (
    selected.find((row) => selected.every((other) => covers(row, other))) ??
    new Unreadable("the query names more than one operation")
  );
}
