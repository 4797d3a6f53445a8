/** `svcctl cat-sst`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { openTable } from "@svc-authorizer/commands/sstable/table-reader.ts";
import type { CommandCall } from "../command.ts";
import { readBytes } from "../input.ts";
import { structuredText } from "../output/structured.ts";
import { gridText, plainRows } from "../output/table.ts";
import { rowKindOf } from "./table-rows.ts";

/** Shows the entries of a file in which a data server keeps commits. */
export async function catSst(call: CommandCall): Promise<void> {
  const { context, options, args } = call;
  const file = textOption(options, "file") ?? args[0];
  if (file === undefined) throw new UsageFailure('required flag(s) "file" not set');
  const amount = Number(options["amount"]);
  const table = openTable(await readBytes(context, file));
  const { headings, cells } = rowKindOf(table);
  const rows: (readonly (string | number)[])[] = [];
  for (const entry of table.entries()) {
    if (amount >= 0 && rows.length >= amount) break;
    rows.push(cells(entry));
  }
  const { format } = context;
  if (format === "table") return context.out(context.terminal ? gridText(headings, rows) : plainRows(rows));
  const names = headings.map((heading) => heading.toLowerCase().replaceAll(" ", "_"));
  const records = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
  context.out(await structuredText(format, records, names));
}
