/** `svcctl gc delete-config`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { rulesPath } from "./rules-path.ts";

export async function deleteConfig(call: CommandCall): Promise<void> {
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  await openApi(call.context).perform({ method: "DELETE", path: rulesPath(repository), expect: 204 });
  await printObject(call, { repository, deleted: true }, () => "");
}
