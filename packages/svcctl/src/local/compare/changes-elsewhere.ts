/** Uncommitted changes of a branch that a commit of a linked folder would take with it. */

import type { ApiClient } from "../../api/api-client.ts";
import { isObject } from "../../api/pages.ts";
import { textField } from "../../output/fields.ts";
import type { SvcUri } from "../../uri/svc-uri.ts";

/** True where the branch has uncommitted changes outside of the linked path. */
export async function changesElsewhere(
  api: ApiClient,
  { repository, ref, path = "" }: SvcUri,
): Promise<boolean> {
  const before = await firstChange(api, repository, ref);
  if (before === undefined) return false;
  if (!before.startsWith(path)) return true;
  if (path === "") return false;
  // Behind every path that begins with this one.
  const behind = await firstChange(api, repository, ref, `${path}\u{10ffff}`);
  return behind !== undefined && !behind.startsWith(path);
}

async function firstChange(
  api: ApiClient,
  repository: string,
  ref: string,
  after?: string,
): Promise<string | undefined> {
  const call = ["repositories", repository, "branches", ref, "diff"];
  const answer = await api.fetchObject({
    method: "GET",
    path: call,
    query: { amount: 1, after },
    expect: 200,
  });
  const [change] = Array.isArray(answer["results"]) ? answer["results"].filter(isObject) : [];
  return change === undefined ? undefined : textField(change, "path");
}
