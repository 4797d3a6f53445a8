/** Lists as data: which columns a table has, and under which stable names structured output shows them. */

import type { JsonObject } from "../api/api-client.ts";

/** One column. */
export interface Column {
  /** Heading of the grid (spec/management-cli §3). */
  readonly heading: string;
  /** Name in JSON, YAML and CSV. It never changes. */
  readonly name: string;
  /** Fields of an entry that hold the value; the first one that is not empty is shown. */
  readonly fields: readonly string[];
  /**
   * "date": Unix seconds; a table shows them in the local time zone, structured output as RFC 3339. "time": RFC 3339,
   * which a table shows with its own offset.
   */
  readonly kind?: "date" | "time";
  /** A table leaves the column out where no row has a value, so that it is as the data server's tool prints it. */
  readonly onlyIfAny?: true;
}

/** One row: values by the names of the columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The row of an entry, from the fields that the columns name. */
export function rowOf(columns: readonly Column[], entry: JsonObject): Row {
  return Object.fromEntries(
    columns.map(({ name, fields }) => [
      name,
      fields
        .map((field) => entry[field])
        .find((value) => value !== undefined && value !== null && value !== ""),
    ]),
  );
}
