/** `svcctl repo delete`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printDone } from "../output/print.ts";
import { confirm } from "../uri/confirm.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

export async function deleteRepository(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const uri = uriArgument(call, 0, "repository URI", "repository");
  const { repository } = uri;
  announce(call, "Repository", uri);
  const question = `Are you sure you want to delete repository: ${repository}`;
  await confirm(call, question, `Delete Repository '${repository}' aborted`);
  await api.perform({ method: "DELETE", path: ["repositories", repository], expect: 204 });
  await printDone(call, `Repository '${repository}' deleted`);
}
