/** The items that only the data server reads, from `data-server-items.json`: one file may configure both services. */

import rows from "./data-server-items.json" with { type: "json" };
import type { AnyItem } from "./item.ts";

const ROWS: readonly ({ readonly name: string } | AnyItem)[] = rows as readonly AnyItem[];

/** The items whose type and default are known: their values are checked and shown, and never used. */
export const DATA_SERVER_ITEMS: readonly AnyItem[] = ROWS.filter((row) => "type" in row);

/** Names of further items of the data server. Nothing is checked at or below them. */
export const UNCHECKED_NAMES: readonly string[] = ROWS.filter((row) => !("type" in row)).map(
  ({ name }) => name,
);
