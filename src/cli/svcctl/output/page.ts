/** A page of a list: asked for with the paging options, printed as a table with a hint at what follows. */

import { textOption } from "../../command-spec.ts";
import { safeText } from "../../safe-text.ts";
import type { ApiClient, JsonObject } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonText } from "./json-text.ts";
import type { Cell } from "./table.ts";

/** How entries become rows. */
export interface PageTable {
  readonly headers: readonly string[];
  /** The rows of one entry; most have one. */
  rowsOf(entry: JsonObject): readonly (readonly Cell[])[];
}

/** Fetches a page of a list and prints it. */
export async function printPage(
  api: ApiClient,
  { context, options }: CommandCall,
  path: readonly string[],
  table: PageTable,
  query: Readonly<Record<string, boolean>> = {},
): Promise<void> {
  const paging = {
    prefix: textOption(options, "prefix"),
    after: textOption(options, "after"),
    amount: Number(options["amount"]),
  };
  const page = await api.fetchObject({ method: "GET", path, query: { ...query, ...paging }, expect: 200 });
  if (options["json"] === true) return context.out(jsonText(page));
  const { results, pagination } = page;
  if (!Array.isArray(results)) throw new Error("Bad response from server");
  const rows = results.filter(isObject).flatMap((entry) => table.rowsOf(entry));
  await printRows(context, table.headers, rows);
  if (context.terminal && isObject(pagination) && pagination["has_more"] === true) {
    const after = safeText(String(pagination["next_offset"] ?? ""));
    const flags = `--amount ${paging.amount} --after "${after}"`;
    context.out(`for more results run with ${context.style.yellow(flags)}\n`);
  }
  context.out("\n");
}

async function printRows(
  context: CommandContext,
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const { gridText, plainRows } = await import("./table.ts");
  context.out(context.terminal ? gridText(headers, rows) : plainRows(rows));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
