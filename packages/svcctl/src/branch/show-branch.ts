/** `svcctl branch show`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

export async function showBranch(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const uri = uriArgument(call, 0, "branch URI", "branch");
  announce(call, "Branch", uri);
  const path = ["repositories", uri.repository, "branches", uri.ref];
  const branch = await api.fetchObject({ method: "GET", path, expect: 200 });
  await printObject(call, branch, () => `Commit ID: ${safeText(textField(branch, "commit_id"))}\n`);
}
