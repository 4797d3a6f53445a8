/** `svcctl metastore create-symlink`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { copyTable } from "./copy-table.ts";
import { ofSymlinks } from "./locations.ts";
import { metastoreSettings, withMetastores } from "./metastore-settings.ts";

/** Lets the data server write symbolic links to the objects of a table, and makes a table in Glue that reads them. */
export async function createSymlink(call: CommandCall): Promise<void> {
  const source = { schema: given(call, "fromSchema"), table: given(call, "fromTable") };
  const to = { schema: given(call, "toSchema"), table: given(call, "toTable") };
  const path = ["repositories", given(call, "repo"), "refs", given(call, "branch"), "symlink"];
  const query = { location: given(call, "path") };
  const api = openApi(call.context);
  const made = await api.fetchObject({ method: "POST", path, query, expect: 201 });
  const prefix = textField(made, "location");
  const relocation = {
    to,
    serde: "",
    relocate: (location: string) => ofSymlinks(location, prefix),
    symlinks: true,
    fixPlaceholder: metastoreSettings(call).fixSparkPlaceholder,
  };
  await withMetastores(call, (route) => copyTable(route, source, relocation), "glue");
  await printObject(call, { location: prefix, ...to }, () => "");
}
