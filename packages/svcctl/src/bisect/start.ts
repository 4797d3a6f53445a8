/** `svcctl bisect start`. */

import { type ApiClient, type JsonObject, openApi } from "../api/api-client.ts";
import { eachPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { commitOf } from "../local/link-folder.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { requireSameRepository, uriArgument } from "../uri/uri-argument.ts";
import { type BisectState, saveState, statusText } from "./bisect-state.ts";

const PAGE = 500;

/** Begins a search between a commit that has the fault and an older one that has it not. */
export async function start(call: CommandCall): Promise<void> {
  const { context } = call;
  const bad = uriArgument(call, 0, "bad ref URI", "ref");
  const good = uriArgument(call, 1, "good ref URI", "ref");
  requireSameRepository(bad, good, "Two references doesn't use the same repository");
  const api = openApi(context);
  const path = ["repositories", good.repository];
  const repository = textField(await api.fetchObject({ method: "GET", path, expect: 200 }), "id");
  const badCommit = await commitOf(api, bad);
  const goodCommit = await commitOf(api, good);
  const commits = await commitsBetween(api, repository, badCommit, goodCommit);
  const created = new Date().toISOString();
  const state: BisectState = { created, repository, badCommit, goodCommit, commits };
  await saveState(context, state);
  await printObject(call, state, () => statusText(state));
}

/** The commits from one to another, which is left out. */
async function commitsBetween(
  api: ApiClient,
  repository: string,
  bad: string,
  good: string,
): Promise<readonly JsonObject[]> {
  const path = ["repositories", repository, "refs", bad, "commits"];
  const commits: JsonObject[] = [];
  for await (const { results } of eachPage(api, path, {}, { first: PAGE, largest: PAGE })) {
    for (const commit of results) {
      if (textField(commit, "id") === good) return commits;
      commits.push(commit);
    }
  }
  throw new Error("good commit not found");
}
