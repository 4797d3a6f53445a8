/** `svcctl branch delete`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { confirm } from "../uri/confirm.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

export async function deleteBranch(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  await confirm(call, "Are you sure you want to delete branch", "Delete branch aborted");
  const api = openApi(call.context);
  announce(call, "Branch", uri);
  await api.perform({
    method: "DELETE",
    path: ["repositories", uri.repository, "branches", uri.ref],
    expect: 204,
  });
  await printObject(call, { id: uri.ref, deleted: true }, () => "");
}
