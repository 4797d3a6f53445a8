/** `svcctl tag create`. */

import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { requireSameRepository, uriArgument } from "../uri/uri-argument.ts";

export async function createTag(call: CommandCall): Promise<void> {
  const tag = uriArgument(call, 0, "tag URI", "ref");
  const commit = uriArgument(call, 1, "commit URI", "ref");
  const api = openApi(call.context);
  requireSameRepository(tag, commit);
  const repository = ["repositories", tag.repository];
  if (call.options["force"] === true) {
    // Looked at first: a tag is not deleted for the sake of a commit that does not exist.
    await api.fetchObject({ method: "GET", path: [...repository, "commits", commit.ref], expect: 200 });
    await api
      .perform({ method: "DELETE", path: [...repository, "tags", tag.ref], expect: 204 })
      .catch((error: unknown) => {
        if (!(error instanceof ApiFailure) || error.status !== 404) throw error;
      });
  }
  const body = { id: tag.ref, ref: commit.ref };
  const path = [...repository, "tags"];
  const created = await api.fetchObject({ method: "POST", path, body, expect: 201 });
  const commitId = safeText(textField(created, "commit_id"));
  // The braces with both ids are what the data server's own tool prints.
  await printObject(call, created, () => `Created tag '${tag.ref}' ({${commitId} ${tag.ref}})\n`);
}
