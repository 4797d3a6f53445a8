/** Tables: a grid on a terminal, tab-separated rows without header elsewhere (spec/management-cli §1). */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import Table from "cli-table3";

/** A cell; numbers stand at the right. */
export type Cell = string | number | PaintedCell;

/** A text in a colour. */
interface PaintedCell {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** Lines of the grid that stay: above and below the header, and the last one. */
const HEADER_LINES = 3;

/** The grid, ending with a line feed. Headers are shown in upper case. */
export function gridText(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  chars: Readonly<Record<string, string>> = ASCII,
): string {
  const table = new Table({
    head: headers.map((header) => header.toUpperCase()),
    colAligns: headers.map((_, column) => (isNumeric(rows, column) ? "right" : "left")),
    chars,
    style: { head: [], border: [] },
  });
  for (const row of rows) table.push(row.map(cellText));
  const lines = table.toString().split("\n");
  // The library draws a line between any two rows, or not even one below the header.
  const kept = lines.filter(
    (_, index) => index < HEADER_LINES || index % 2 === 1 || index === lines.length - 1,
  );
  // An empty table ends with the line below its header, and then with its last one.
  if (rows.length === 0) kept.push(kept[0] ?? "");
  return `${kept.join("\n")}\n`;
}

const ASCII = {
  top: "-",
  "top-mid": "+",
  "top-left": "+",
  "top-right": "+",
  bottom: "-",
  "bottom-mid": "+",
  "bottom-left": "+",
  "bottom-right": "+",
  left: "|",
  "left-mid": "+",
  mid: "-",
  "mid-mid": "+",
  right: "|",
  "right-mid": "+",
  middle: "|",
};

/** Borders of double lines. */
export const DOUBLE = {
  top: "═",
  "top-mid": "╦",
  "top-left": "╔",
  "top-right": "╗",
  bottom: "═",
  "bottom-mid": "╩",
  "bottom-left": "╚",
  "bottom-right": "╝",
  left: "║",
  "left-mid": "╠",
  mid: "═",
  "mid-mid": "╬",
  right: "║",
  "right-mid": "╣",
  middle: "║",
};

function isNumeric(rows: readonly (readonly Cell[])[], column: number): boolean {
  return rows.length > 0 && rows.every((row) => typeof row[column] === "number");
}

function cellText(cell: Cell): string {
  return typeof cell === "object" ? cell.paint(safeText(cell.text)) : safeText(String(cell));
}

/** The rows alone, cells joined by tabs, each line ended. */
export function plainRows(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join("\t")}\n`).join("");
}
