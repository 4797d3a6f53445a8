/** `svcctl cherry-pick`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { announce, requireSameRepository, uriArgument } from "../uri/uri-argument.ts";
import { createdCommitText } from "./commit-text.ts";
import { parentNumberOf } from "./commit-values.ts";

export async function cherryPick(call: CommandCall): Promise<void> {
  const commit = uriArgument(call, 0, "commit URI", "ref");
  const branch = uriArgument(call, 1, "branch URI", "branch");
  announce(call, "Branch", branch);
  requireSameRepository(branch, commit, "Repository mismatch for destination branch and cherry-pick ref");
  const parent = parentNumberOf(call, "parent number must be positive, if specified") ?? 1;
  const path = ["repositories", branch.repository, "branches", branch.ref, "cherry-pick"];
  const body = { ref: commit.ref, parent_number: parent };
  const made = await openApi(call.context).fetchObject({ method: "POST", path, body, expect: 201 });
  await printObject(call, made, () => createdCommitText(branch.ref, made, call.context.style));
}
