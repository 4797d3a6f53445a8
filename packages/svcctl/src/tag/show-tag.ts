/** `svcctl tag show`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";

export async function showTag(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const uri = uriArgument(call, 0, "tag URI", "ref");
  const path = ["repositories", uri.repository, "tags", uri.ref];
  const tag = await api.fetchObject({ method: "GET", path, expect: 200 });
  const field = (name: string): string => safeText(textField(tag, name));
  await printObject(call, tag, () => `${field("id")} ${field("commit_id")}\n`);
}
