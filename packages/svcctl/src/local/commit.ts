/** `svcctl local commit`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { createdCommitText } from "../commits/commit-text.ts";
import { commitValuesOf } from "../commits/commit-values.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { parallelismOf, presignModeOf } from "../transfer/presign-mode.ts";
import { confirm } from "../uri/confirm.ts";
import { uriText } from "../uri/svc-uri.ts";
import { type Change, mergeChanges } from "./compare/changes.ts";
import { changesElsewhere } from "./compare/changes-elsewhere.ts";
import { compareFolder, say } from "./compare/compare-folder.ts";
import { allRemoteChanges } from "./compare/remote-changes.ts";
import { gitMetadata } from "./files/git.ts";
import { type FolderIndex, readIndex, writeIndex } from "./files/index-file.ts";
import { folderOf } from "./local-arguments.ts";
import { runSync } from "./sync/run-sync.ts";
import { summaryOf } from "./sync/sync-summary.ts";

/** Uploads the changes of a folder to its branch, and commits them. What the branch changed too is a conflict. */
export async function commitFolder(call: CommandCall): Promise<void> {
  const values = commitValuesOf(call);
  const folder = await folderOf(call, 0);
  const index = await readIndex(folder);
  const { remote } = index;
  const api = openApi(call.context);
  const parallelism = parallelismOf(api, call);
  const mode = await presignModeOf(api, call, remote.repository);
  await confirmAfterInterrupt(call, index);
  const changes = await changesToCommit(call, api, index);
  if (changes === undefined) return;
  if (call.options["force"] !== true && (await changesElsewhere(api, remote))) {
    throw new Error(
      `Branch ${safeText(remote.ref)} contains uncommitted changes outside of local path '${folder}'.\nTo proceed, use the --force flag.`,
    );
  }
  const tasks = await runSync(call, api, { index, operation: "commit", remote, changes, mode, parallelism });
  if (call.context.format === "table") await summaryOf(call, "Sync", tasks);
  say(call, "Finished syncing changes. Perform commit on branch...\n");
  const metadata = { ...values.metadata, ...(await gitMetadata(index.root)) };
  const path = ["repositories", remote.repository, "branches", remote.ref, "commits"];
  const body = { message: values.message, metadata };
  const commit = await api.fetchObject({ method: "POST", path, body, expect: 201 });
  await writeIndex({ ...index, head: textField(commit, "id"), operation: "" });
  await printObject(call, commit, () => createdCommitText(remote.ref, commit, call.context.style));
}

async function confirmAfterInterrupt(call: CommandCall, { operation }: FolderIndex): Promise<void> {
  if (operation === "") return;
  const name = safeText(operation);
  say(
    call,
    `Latest 'local ${name}' operation was interrupted, running 'local commit' operation now might lead to data loss.\n`,
  );
  await confirm(call, "Proceed", "command aborted");
}

/** Returns the changes to upload; undefined where there are none, which is then said. */
async function changesToCommit(
  call: CommandCall,
  api: ApiClient,
  index: FolderIndex,
): Promise<readonly Change[] | undefined> {
  const { remote, head, root } = index;
  say(call, `\nGetting branch: ${safeText(remote.ref)}\n`);
  const path = ["repositories", remote.repository, "branches", remote.ref];
  const branch = await api.fetchObject({ method: "GET", path, expect: 200 });
  const base = { ...remote, ref: head };
  let changes = await compareFolder(call, api, base, root, api.settings.local);
  const tip = textField(branch, "commit_id");
  if (tip !== head) {
    const newest = { ...remote, ref: tip };
    say(call, `\ndiff '${safeText(uriText(newest))}' <--> '${safeText(uriText(remote))}'...\n`);
    changes = mergeChanges(changes, await allRemoteChanges(api, base, tip), "conflict");
    if (changes.length === 0) return nothing(call, "Local directory and remote branch are synced");
    const conflicts = changes.filter(({ type }) => type === "conflict").map((one) => safeText(one.path));
    if (conflicts.length > 0) {
      throw new Error(
        `Conflicts found between local directory and remote in the following files:\n${conflicts.join("\n")}`,
      );
    }
  }
  if (changes.length === 0) return nothing(call, "No changes", "\n");
  return changes;
}

async function nothing(call: CommandCall, message: string, before = ""): Promise<undefined> {
  await printObject(call, { message }, () => `${before}${message}\n`);
  return undefined;
}
