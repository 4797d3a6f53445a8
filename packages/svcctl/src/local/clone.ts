/** `svcctl local clone`. */

import { readdir } from "node:fs/promises";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { eachObject } from "../objects/list-objects.ts";
import { textField } from "../output/fields.ts";
import { parallelismOf, presignModeOf } from "../transfer/presign-mode.ts";
import { type SvcUri, uriText } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import type { Change } from "./compare/changes.ts";
import { say } from "./compare/compare-folder.ts";
import { linkFolder } from "./link-folder.ts";
import { folderOf } from "./local-arguments.ts";
import { runSync } from "./sync/run-sync.ts";
import { summaryOf } from "./sync/sync-summary.ts";

/** Downloads a path of a repository into a new folder, and links it. */
export async function cloneFolder(call: CommandCall): Promise<void> {
  const given = uriArgument(call, 0, "path URI", "path");
  const folder = await folderOf(call, 1);
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });
  if (entries.length > 0) throw new Error(`directory '${folder}' exists and is not empty`);
  const api = openApi(call.context);
  const parallelism = parallelismOf(api, call);
  const index = await linkFolder(call, api, given, folder, "clone");
  const mode = await presignModeOf(api, call, given.repository);
  const { remote, head } = index;
  const stable = { ...remote, ref: head };
  const tasks = await runSync(call, api, {
    index,
    operation: "clone",
    remote: stable,
    changes: additions(api, stable),
    mode,
    parallelism,
    after: { remote, head },
  });
  say(call, `\nSuccessfully cloned ${safeText(uriText(remote))} to ${folder}.\n`);
  await summaryOf(call, "Clone", tasks);
}

async function* additions(api: ApiClient, { repository, ref, path = "" }: SvcUri): AsyncGenerator<Change> {
  for await (const stats of eachObject(api, { repository, ref, prefix: path })) {
    const below = textField(stats, "path").slice(path.length).replace(/^\//, "");
    if (below !== "") yield { source: "remote", path: below, type: "added" };
  }
}
