/** `svcctl metastore copy` and `copy-schema`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "@svc-authorizer/svcctl/command.ts";
import { given } from "@svc-authorizer/svcctl/given.ts";
import { printObject } from "@svc-authorizer/svcctl/output/print.ts";
import { afterDbfs, copySchema, copyTable } from "./copy-table.ts";
import { onBranch, type Relocate } from "./locations.ts";
import { metastoreSettings, withMetastores } from "./metastore-settings.ts";

export async function copy(call: CommandCall): Promise<void> {
  const { options } = call;
  const branch = given(call, "toBranch");
  const source = { schema: given(call, "fromSchema"), table: given(call, "fromTable") };
  const to = {
    schema: textOption(options, "toSchema") || branch,
    table: textOption(options, "toTable") || source.table,
  };
  const relocation = {
    to,
    serde: textOption(options, "serde") || to.table,
    relocate: toBranch(call, branch),
    symlinks: false,
    fixPlaceholder: metastoreSettings(call).fixSparkPlaceholder,
  };
  const partition: readonly string[] = Array.isArray(options["partition"]) ? options["partition"] : [];
  await withMetastores(call, (route) => copyTable(route, source, relocation, partition));
  const names = [`${source.schema}.${source.table}`, `${to.schema}.${to.table}`];
  await printObject(call, { from: names[0], to: names[1] }, () => `copy ${names[0]} -> ${names[1]}\n`);
}

export async function copyOneSchema(call: CommandCall): Promise<void> {
  const branch = given(call, "toBranch");
  const source = given(call, "fromSchema");
  const target = textOption(call.options, "toSchema") || branch;
  await withMetastores(call, async (route) => {
    const made = await copySchema(route, source, target, toBranch(call, branch));
    if (!made) throw new Error(`failed to create database with name '${target}': it exists already`);
  });
  await printObject(call, { from: source, to: target }, () => `copy ${source} -> ${target}\n`);
}

function toBranch({ options }: CommandCall, branch: string): Relocate {
  return afterDbfs(textOption(options, "dbfsRoot") ?? "", (location) => onBranch(location, branch));
}
