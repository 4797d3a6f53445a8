/** `svcctl local checkout`. */

import { join } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { parallelismOf, presignModeOf } from "../transfer/presign-mode.ts";
import { confirm } from "../uri/confirm.ts";
import { uriOf } from "../uri/uri-argument.ts";
import { type Change, undo } from "./compare/changes.ts";
import { compareFolder, say } from "./compare/compare-folder.ts";
import { type FolderIndex, NotLinked, readIndex } from "./files/index-file.ts";
import { findLinkedFolders } from "./find-linked-folders.ts";
import { commitOf } from "./link-folder.ts";
import { folderOf } from "./local-arguments.ts";
import { runSync } from "./sync/run-sync.ts";
import { summaryOf } from "./sync/sync-summary.ts";

const UNCOMMITTED = "Uncommitted changes exist, the operation will revert all changes on local directory.\n";
const ALL = "the operation will revert all changes in all directories that are linked with svc.\n";

/** Makes a folder, or with `--all` every linked one, the same as its commit or as another ref. */
export async function checkout(call: CommandCall): Promise<void> {
  const { options } = call;
  const all = options["all"] === true;
  const ref = textOption(options, "ref") ?? "";
  if (all && ref !== "") {
    throw new UsageFailure(
      "if any flags in the group [ref all] are set none of the others can be; [all ref] were all set",
    );
  }
  const folder = await folderOf(call, 0, all);
  if (!all) return checkoutOne(call, folder, ref, true);
  say(call, ALL);
  await confirm(call, "Proceed", "command aborted");
  for (const one of await findLinkedFolders(folder)) await checkoutOne(call, join(folder, one), "", false);
}

async function checkoutOne(call: CommandCall, folder: string, ref: string, ask: boolean): Promise<void> {
  const index = await linkedIndex(folder);
  const api = openApi(call.context);
  const parallelism = parallelismOf(api, call);
  const mode = await presignModeOf(api, call, index.remote.repository);
  const settings = api.settings.local;
  const base = { ...index.remote, ref: index.head };
  let changes: readonly Change[] = undo(await compareFolder(call, api, base, index.root, settings));
  if (ask && changes.length > 0) {
    say(call, UNCOMMITTED);
    await confirm(call, "Proceed", "command aborted");
  }
  let after = { remote: index.remote, head: index.head };
  if (ref !== "") {
    const wanted = uriOf(call, "ref", ref, "ref");
    if (wanted.repository !== index.remote.repository) {
      throw new Error("invalid uri, ref repository doesn't match");
    }
    after = { remote: { ...index.remote, ref: wanted.ref }, head: await commitOf(api, wanted) };
    if (after.head !== index.head) {
      const other = { ...after.remote, ref: after.head };
      changes = undo(await compareFolder(call, api, other, index.root, settings));
    }
  }
  const remote = { ...after.remote, ref: after.head };
  const tasks = await runSync(call, api, {
    index,
    operation: "checkout",
    remote,
    changes,
    mode,
    parallelism,
    after,
  });
  await summaryOf(call, "Checkout", tasks);
}

async function linkedIndex(folder: string): Promise<FolderIndex> {
  try {
    return await readIndex(folder);
  } catch (error) {
    if (!(error instanceof NotLinked)) throw error;
    throw new Error(`directory ${folder} is not linked to a svc path`, { cause: error });
  }
}
