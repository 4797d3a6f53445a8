/** `svcctl branch revert`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { parentNumberOf } from "../commits/commit-values.ts";
import { printObject } from "../output/print.ts";
import { confirm } from "../uri/confirm.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

/** Reverts one commit after the other. A failure names the commit; those before it stay reverted. */
export async function revertBranch(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  announce(call, "Branch", uri);
  const parentNumber = parentNumberOf(call, "parent number must be number greater than 0, if specified") ?? 0;
  const commits = call.args.slice(1);
  const question = `Are you sure you want to revert the effect of commits ${commits.join(" ")}`;
  await confirm(call, question, "Revert aborted");
  const api = openApi(call.context);
  const path = ["repositories", uri.repository, "branches", uri.ref, "revert"];
  for (const ref of commits) {
    const body = { ref, parent_number: parentNumber, allow_empty: call.options["allowEmptyCommit"] === true };
    await api.perform({ method: "POST", path, body, expect: 204 });
    if (call.context.format === "table" && call.options["json"] !== true) {
      call.context.out(`commit ${safeText(ref)} successfully reverted\n`);
    }
  }
  await printObject(call, { branch: uri.ref, reverted: commits }, () => "");
}
