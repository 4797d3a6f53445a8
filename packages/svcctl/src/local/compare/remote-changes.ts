/** Changes between two commits of the repository that a folder is linked with. */

import { unlessEmpty } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { eachPage } from "../../api/pages.ts";
import { textField } from "../../output/fields.ts";
import type { SvcUri } from "../../uri/svc-uri.ts";
import { type Change, changeTypeOf } from "./changes.ts";

const PAGE = 1_000;

/** Each change below the linked path, in the order of paths. */
async function* remoteChanges(
  api: ApiClient,
  { repository, ref, path = "" }: SvcUri,
  to: string,
): AsyncGenerator<Change> {
  const call = ["repositories", repository, "refs", ref, "diff", to];
  const query = { prefix: unlessEmpty(path), type: "two_dot" };
  for await (const { results } of eachPage(api, call, query, { first: PAGE, largest: PAGE })) {
    for (const one of results) {
      const below = textField(one, "path").slice(path.length);
      yield { source: "remote", path: below, type: changeTypeOf(textField(one, "type")) };
    }
  }
}

/** All of them. */
export async function allRemoteChanges(api: ApiClient, from: SvcUri, to: string): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for await (const change of remoteChanges(api, from, to)) changes.push(change);
  return changes;
}
