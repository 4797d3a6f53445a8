/** `svcctl abuse merge`. */

import { randomUUID } from "node:crypto";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { say } from "../local/compare/compare-folder.ts";
import type { SvcUri } from "../uri/svc-uri.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";
import { linkEmpty } from "./abuse-objects.ts";
import { branchesOf, deleteBranch } from "./abuse-refs.ts";
import { numbered } from "./inputs.ts";
import { runLoad } from "./load-run.ts";

const CHECKSUM = "deadbeef0000cafe";

/** Each merge has a branch with an object of its own, so none conflicts. The branches go afterwards. */
export async function mergeRepeatedly(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  const parallelism = Number(call.options["parallelism"]);
  announce(call, "Source branch", uri);
  const prefix = `merge-${randomUUID()}`;
  say(call, `Branch prefix: ${prefix}\n`);
  const api = openApi(call.context);
  const inputs = numbered(call, (number) => `${prefix}-${String(number).padStart(4, "0")}`);
  try {
    await runLoad(call, { name: "merge", parallelism, inputs, work: (name) => mergeOne(api, uri, name) });
  } finally {
    const { repository } = uri;
    await forEachParallel(branchesOf(api, repository, prefix), Math.max(1, parallelism), (name) =>
      deleteBranch(api, repository, name).catch((error: unknown) => {
        call.context.err(`Failed to delete ${name}: ${(error as Error).message}\n`);
      }),
    );
  }
}

async function mergeOne(api: ApiClient, base: SvcUri, name: string): Promise<void> {
  const { repository, ref } = base;
  const inRepository = ["repositories", repository];
  const branch = { name, source: ref };
  await api.perform({ method: "POST", path: [...inRepository, "branches"], body: branch, expect: 201 });
  await linkEmpty(api, { repository, ref: name, path: `object-${name}` }, CHECKSUM);
  const commits = [...inRepository, "branches", name, "commits"];
  await api.fetchObject({ method: "POST", path: commits, body: { message: `commit ${name}` }, expect: 201 });
  const merge = [...inRepository, "refs", name, "merge", ref];
  await api.fetchObject({ method: "POST", path: merge, body: {}, expect: 200 });
}
