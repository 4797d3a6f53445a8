/** `svcctl abuse commit` and `create-branches`. */

import { setTimeout as wait } from "node:timers/promises";
import { type ApiClient, openApi } from "../api/api-client.ts";
import { eachPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { durationOf } from "../duration-option.ts";
import { given } from "../given.ts";
import { textField } from "../output/fields.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";
import { numbered } from "./inputs.ts";
import { runLoad } from "./load-run.ts";

const PAGE = 1_000;

/** One commit after the other, with a pause between them. */
export async function commitRepeatedly(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  const gap = durationOf(call, "gap", "gap");
  announce(call, "Source branch", uri);
  const api = openApi(call.context);
  const path = ["repositories", uri.repository, "branches", uri.ref, "commits"];
  async function* paced(): AsyncGenerator<string> {
    let first = true;
    for (const message of numbered(call, String)) {
      if (!first) await wait(gap);
      first = false;
      yield message;
    }
  }
  const work = async (message: string): Promise<void> => {
    await api.fetchObject({ method: "POST", path, body: { message, allow_empty: true }, expect: 201 });
  };
  await runLoad(call, { name: "commit", parallelism: 1, inputs: paced(), work });
}

/** Branches of earlier runs go first. */
export async function createBranches(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "source ref URI", "ref");
  announce(call, "Source ref", uri);
  const api = openApi(call.context);
  const prefix = given(call, "branchPrefix");
  const parallelism = Number(call.options["parallelism"]);
  await runLoad(call, {
    name: "delete branch",
    parallelism,
    inputs: branchesOf(api, uri.repository, prefix),
    work: (name) => deleteBranch(api, uri.repository, name),
  });
  if (call.options["cleanOnly"] === true) return;
  const path = ["repositories", uri.repository, "branches"];
  await runLoad(call, {
    name: "create branch",
    parallelism,
    inputs: numbered(call, (number) => `${prefix}-${number - 1}`),
    work: async (name) => {
      await api.perform({ method: "POST", path, body: { name, source: uri.ref }, expect: 201 });
    },
  });
}

/** Names of branches that begin with a prefix. */
export async function* branchesOf(
  api: ApiClient,
  repository: string,
  prefix: string,
): AsyncGenerator<string> {
  const path = ["repositories", repository, "branches"];
  for await (const { results } of eachPage(api, path, { prefix }, { first: PAGE, largest: PAGE })) {
    for (const branch of results) yield textField(branch, "id");
  }
}

/** Deletes a branch. */
export async function deleteBranch(api: ApiClient, repository: string, name: string): Promise<void> {
  await api.perform({ method: "DELETE", path: ["repositories", repository, "branches", name], expect: 204 });
}
