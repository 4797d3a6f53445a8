/** `svcctl metastore diff`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandCall } from "@svc-authorizer/svcctl/command.ts";
import { given } from "@svc-authorizer/svcctl/given.ts";
import { printObject } from "@svc-authorizer/svcctl/output/print.ts";
import { compareColumns, comparePartitions, differenceLines, partitionName } from "./differences.ts";
import type { Metastore, Table, TableName } from "./metastore-model.ts";
import { withMetastores } from "./metastore-settings.ts";

/** Shows differences of columns and partitions. */
export async function diffTables(call: CommandCall): Promise<void> {
  const from: TableName = { schema: given(call, "fromSchema"), table: given(call, "fromTable") };
  const to: TableName = {
    schema: textOption(call.options, "toSchema") || from.schema,
    table: textOption(call.options, "toTable") || from.table,
  };
  await withMetastores(call, async (route) => {
    const [left, right] = [await tableOf(route.from, from), await tableOf(route.to, to)];
    const columns = compareColumns(left.storage.columns, right.storage.columns);
    const partitions = comparePartitions(
      await route.from.getPartitions(from),
      await route.to.getPartitions(to),
    );
    const columnLines = differenceLines(columns, ({ name }) => name);
    const partitionLines = differenceLines(partitions, partitionName);
    await printObject(call, { columns: columnLines, partitions: partitionLines }, () =>
      [
        `${from.schema}.${from.table} <--> ${to.schema}.${to.table}`,
        ...section("Columns", columnLines),
        ...section("Partitions", partitionLines),
        "",
      ].join("\n"),
    );
  });
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`${heading} are identical`] : [heading, ...lines.map(safeText)];
}

async function tableOf(metastore: Metastore, name: TableName): Promise<Table> {
  const table = await metastore.getTable(name);
  if (table === undefined) throw new Error(`table ${name.schema}.${name.table} not found`);
  return table;
}
