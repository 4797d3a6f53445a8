/** `svcctl commit`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";
import { createdCommitText } from "./commit-text.ts";
import { commitValuesOf } from "./commit-values.ts";

export async function createCommit(call: CommandCall): Promise<void> {
  const values = commitValuesOf(call);
  const uri = uriArgument(call, 0, "branch URI", "branch");
  announce(call, "Branch", uri);
  const path = ["repositories", uri.repository, "branches", uri.ref, "commits"];
  const date = call.options["epochTimeSeconds"];
  const body = {
    ...values,
    allow_empty: call.options["allowEmptyCommit"] === true,
    ...(typeof date === "number" && { date }),
  };
  const commit = await openApi(call.context).fetchObject({ method: "POST", path, body, expect: 201 });
  await printObject(call, commit, () => createdCommitText(uri.ref, commit, call.context.style));
}
