/** `svcctl tag delete`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { confirm } from "../uri/confirm.ts";
import { uriArgument } from "../uri/uri-argument.ts";

export async function deleteTag(call: CommandCall): Promise<void> {
  await confirm(call, "Are you sure you want to delete tag", "Delete tag aborted");
  const api = openApi(call.context);
  const uri = uriArgument(call, 0, "tag URI", "ref");
  await api.perform({
    method: "DELETE",
    path: ["repositories", uri.repository, "tags", uri.ref],
    expect: 204,
  });
  await printObject(call, { id: uri.ref, deleted: true }, () => "");
}
