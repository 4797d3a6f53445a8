/** The table of ways to sign in (spec/sign-in §8): `fixtures/sign-in/ways.yaml`. */

import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The columns; each way has each of them. */
export const COLUMNS = [
  "right",
  "wrong",
  "expired",
  "replayed",
  "other_audience",
  "other_issuer",
  "user_absent",
  "inactive",
  "protected_group",
  "provider_away",
] as const;

/** A case of the table. */
interface Row {
  /** The name of a function of the way, which shows it. */
  readonly show: string;
  readonly status: number;
  /** A part of the answer. */
  readonly says?: string;
  /** The user who is in afterwards; absent: nobody. */
  readonly user?: string;
  /** Of one of the records that the audit log has of it; `none`: it has none, since nothing came of it. */
  readonly record: Readonly<Record<string, unknown>> | "none";
}

/** A cell: its cases, or why it has none. */
type Cell = readonly Row[] | { readonly does_not_apply: string };

/** A way, with its title and its cells. */
interface WayTable {
  readonly way: string;
  /** Of each record. */
  readonly record: Readonly<Record<string, unknown>>;
  readonly cells: Readonly<Record<string, Cell>>;
}

const FILE = new URL("../../../fixtures/sign-in/ways.yaml", import.meta.url);
const SHORTEST_REASON = 20;

/**
 * Reads the table.
 * @throws Error for a way without a cell, for a cell with neither cases nor a reason, and for a column that is none
 */
export function readTable(text = readFileSync(FILE, "utf8")): readonly WayTable[] {
  const { ways } = parse(text) as { readonly ways: readonly WayTable[] };
  for (const { way, cells } of ways) {
    for (const name of Object.keys(cells))
      if (!(COLUMNS as readonly string[]).includes(name)) throw new Error(`${way}: no column ${name}`);
    for (const column of COLUMNS) {
      const cell = cells[column];
      if (cell === undefined) throw new Error(`${way}: ${column} is missing`);
      const says = "does_not_apply" in cell ? cell.does_not_apply.length >= SHORTEST_REASON : cell.length > 0;
      if (!says) throw new Error(`${way}: ${column} has no case and no reason`);
    }
  }
  return ways;
}

/** The cases of a way, with their columns. */
export function rowsOf({ cells }: WayTable): readonly (Row & { readonly column: string })[] {
  return COLUMNS.flatMap((column) => {
    const cell = cells[column];
    return cell === undefined || "does_not_apply" in cell ? [] : cell.map((row) => ({ column, ...row }));
  });
}
