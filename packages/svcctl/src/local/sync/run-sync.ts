/** One synchronization of a linked folder: the index file names it from its beginning until it ended well. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { ApiClient } from "../../api/api-client.ts";
import type { CommandCall } from "../../command.ts";
import { ContentLink } from "../../transfer/connection/content-link.ts";
import { Interrupted, interruptible } from "../../transfer/interrupt.ts";
import type { PresignMode } from "../../transfer/presign-mode.ts";
import { openProgress } from "../../transfer/progress.ts";
import type { SvcUri } from "../../uri/svc-uri.ts";
import type { Change } from "../compare/changes.ts";
import { type FolderIndex, type Operation, writeIndex } from "../files/index-file.ts";
import { applyChanges } from "./apply-changes.ts";
import { movedLine } from "./moved-line.ts";
import type { Tasks } from "./sync-types.ts";

/** Options of a synchronization. */
interface FolderSync {
  readonly index: FolderIndex;
  readonly operation: Operation;
  /** Downloads come from it, uploads go to it. */
  readonly remote: SvcUri;
  readonly changes: Iterable<Change> | AsyncIterable<Change>;
  readonly mode: PresignMode;
  readonly parallelism: number;
  /** The link of the folder afterwards; undefined where the caller writes that itself. */
  readonly after?: Pick<FolderIndex, "remote" | "head">;
}

/**
 * Applies the changes. While it runs, and after a failure, the index file names the operation, so that the next command
 * knows that the folder is neither as before nor as after.
 */
export async function runSync(call: CommandCall, api: ApiClient, sync: FolderSync): Promise<Tasks> {
  const { index, operation, remote, changes, mode, parallelism, after } = sync;
  const { context } = call;
  const link = new ContentLink(api, parallelism);
  const progress = await openProgress(call, operation === "commit" ? "Uploading" : "Downloading");
  await writeIndex({ ...index, operation });
  try {
    const tasks = await interruptible(context, (signal) =>
      applyChanges({
        link,
        root: index.root,
        remote,
        changes,
        settings: api.settings.local,
        mode,
        parallelism,
        progress,
        warn: (text) => context.err(`${safeText(text)}\n`),
        moved: movedLine(call),
        prune: true,
        signal,
      }),
    );
    if (after !== undefined) await writeIndex({ ...index, ...after, operation: "" });
    return tasks;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Error(
      'Operation was canceled, local data may be incomplete.\n\tUse "svcctl local checkout..." to sync with the remote.',
      { cause: error },
    );
  } finally {
    progress.end();
    link.close();
  }
}

/**
 * Refuses a folder whose last operation did not end.
 * @throws Error that says which, and what to do
 */
export function requireWhole({ operation }: FolderIndex): void {
  if (operation === "") return;
  const advice = ADVICE.get(operation) ?? 'Use "svcctl local checkout..." to sync with the remote.';
  const what = operation === "commit" ? "data" : "local data";
  throw new Error(
    `Latest ${safeText(operation)} operation was interrupted, ${what} may be incomplete.\n${advice}`,
  );
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    "commit",
    'Use "svcctl local commit..." to commit your latest changes or "svcctl local pull... --force" to sync with the remote.',
  ],
  ["pull", 'Use "svcctl local pull... --force" to sync with the remote.'],
  [
    "clone",
    'Use "svcctl local checkout..." to sync with the remote or run "svcctl local clone..." with a different directory to sync with the remote.',
  ],
]);
