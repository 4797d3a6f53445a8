/** Prints a list: as a table with a hint at the next page, as the API's JSON, or in a format of `--output`. */

import type { JsonObject } from "../api/api-client.ts";
import type { Page } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { formatDate, formatTime } from "./dates.ts";
import { jsonText } from "./json-text.ts";
import { nextPageOptions } from "./next-page.ts";
import { type Column, type Row, rowOf } from "./records.ts";
import { structuredText } from "./structured.ts";
import type { Cell } from "./table.ts";

/** Columns of a table of entries. */
interface PageTable {
  readonly columns: readonly Column[];
  /** The rows of one entry; default is one row with the fields of the columns. */
  readonly rowsOf?: (entry: JsonObject) => readonly Row[];
  /**
   * True for a list that the data server's own tool does not have: where its table is read by programs, a line on standard error
   * says that there is more, which that tool leaves out (spec/management-cli §1.8).
   */
  readonly isOurs?: boolean;
  /** Text behind the table; default is an empty line. */
  readonly end?: string;
}

/** Prints a page. */
export async function printPage(
  { context, options }: CommandCall,
  page: Page,
  table: PageTable,
): Promise<void> {
  if (options["json"] === true) return context.out(jsonText(page.answer));
  const { columns, rowsOf = (entry: JsonObject) => [rowOf(columns, entry)] } = table;
  const rows = page.results.flatMap((entry) => rowsOf(entry));
  const { format } = context;
  const more = page.next === undefined ? undefined : nextPageOptions(page.amount, page.next);
  if (format !== "table") {
    const names = columns.map(({ name }) => name);
    context.out(await structuredText(format, rows, names));
    sayMore(context, more);
    return;
  }
  const shown = columns.filter(
    ({ name, onlyIfAny }) => onlyIfAny !== true || rows.some((row) => row[name] !== undefined),
  );
  const cells = rows.map((row) => shown.map((column) => cellOf(column, row[column.name])));
  const { gridText, plainRows } = await import("./table.ts");
  const headings = shown.map(({ heading }) => heading);
  context.out(context.terminal ? gridText(headings, cells) : plainRows(cells));
  if (!context.terminal && table.isOurs === true) sayMore(context, more);
  if (context.terminal && more !== undefined)
    context.out(`for more results run with ${context.style.yellow(more)}\n`);
  context.out(table.end ?? "\n");
}

/** Beside the rows, for programs read those: a list that is cut would pass for the whole. */
function sayMore(context: CommandCall["context"], more: string | undefined): void {
  if (more !== undefined) context.err(`more results: run with ${more}, or with --all\n`);
}

function cellOf({ kind }: Column, value: unknown): Cell {
  if (kind === "date") return formatDate(value);
  if (kind === "time") return formatTime(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "string" ? value : "";
}
