/** `svcctl show commit`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { commitText } from "./commit-text.ts";

export async function showCommit(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "commit URI", "ref");
  const path = ["repositories", uri.repository, "commits", uri.ref];
  const commit = await openApi(call.context).fetchObject({ method: "GET", path, expect: 200 });
  const showMetaRange = call.options["showMetaRangeId"] === true;
  await printObject(call, commit, () => commitText(commit, call.context.style, showMetaRange));
}
