/** `svcctl metastore create-symlink`. */

import { openApi } from "@svc-authorizer/svcctl/api/api-client.ts";
import type { CommandCall } from "@svc-authorizer/svcctl/command.ts";
import { given } from "@svc-authorizer/svcctl/given.ts";
import { textField } from "@svc-authorizer/svcctl/output/fields.ts";
import { printObject } from "@svc-authorizer/svcctl/output/print.ts";
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
