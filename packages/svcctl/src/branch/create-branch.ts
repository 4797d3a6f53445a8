/** `svcctl branch create`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { printObject } from "../output/print.ts";
import { announce, requireSameRepository, uriArgument, uriOf } from "../uri/uri-argument.ts";

export async function createBranch(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  const api = openApi(call.context);
  const source = uriOf(call, "failed to parse source URI:", given(call, "source"), "ref");
  announce(call, "Source ref", source);
  requireSameRepository(uri, source, "source branch must be in the same repository");
  const path = ["repositories", uri.repository, "branches"];
  const body = { name: uri.ref, source: source.ref };
  // The answer is the commit as plain text.
  const { text } = await api.perform({ method: "POST", path, body, expect: 201 });
  const created = { id: uri.ref, commit_id: text.trim() };
  await printObject(call, created, () => `created branch '${created.id}' ${safeText(created.commit_id)}\n`);
}
