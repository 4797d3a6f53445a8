/** `svcctl local pull`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { parallelismOf, presignModeOf } from "../transfer/presign-mode.ts";
import { mergeChanges, undo } from "./compare/changes.ts";
import { compareFolder, say } from "./compare/compare-folder.ts";
import { allRemoteChanges } from "./compare/remote-changes.ts";
import { readIndex } from "./files/index-file.ts";
import { commitOf } from "./link-folder.ts";
import { folderOf } from "./local-arguments.ts";
import { requireWhole, runSync } from "./sync/run-sync.ts";
import { summaryOf } from "./sync/sync-summary.ts";

/** Fetches what changed in the repository. With `--force`, changes of the folder are taken back. */
export async function pull(call: CommandCall): Promise<void> {
  const force = call.options["force"] === true;
  const index = await readIndex(await folderOf(call, 0));
  const { remote } = index;
  const api = openApi(call.context);
  const parallelism = parallelismOf(api, call);
  const mode = await presignModeOf(api, call, remote.repository);
  if (!force) requireWhole(index);
  const base = { ...remote, ref: index.head };
  const local = await compareFolder(call, api, base, index.root, api.settings.local);
  if (local.length > 0 && !force) {
    throw new Error(
      `there are ${local.length} uncommitted changes. Either commit them first or use --force to revert local changes`,
    );
  }
  const head = await commitOf(api, remote);
  const news = await allRemoteChanges(api, base, head);
  const tasks = await runSync(call, api, {
    index,
    operation: "pull",
    remote: { ...remote, ref: head },
    changes: mergeChanges(undo(local), news, "right"),
    mode,
    parallelism,
    after: { remote, head },
  });
  say(call, "\nSuccessfully synced changes!\n");
  await summaryOf(call, "Pull", tasks);
}
