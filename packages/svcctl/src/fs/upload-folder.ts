/** `svcctl fs upload --recursive`: uploads what a folder has, and the repository lacks or has otherwise. */

import { resolve } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "../command.ts";
import { compareFolder } from "../local/compare/compare-folder.ts";
import { applyChanges } from "../local/sync/apply-changes.ts";
import { movedLine } from "../local/sync/moved-line.ts";
import { summaryOf } from "../local/sync/sync-summary.ts";
import type { ContentLink } from "../transfer/connection/content-link.ts";
import { interruptible } from "../transfer/interrupt.ts";
import type { PresignMode } from "../transfer/presign-mode.ts";
import { openProgress } from "../transfer/progress.ts";
import type { SvcUri } from "../uri/svc-uri.ts";

/** Options of an upload of a folder. */
interface FolderUpload {
  /** Absolute. */
  readonly folder: string;
  readonly mode: PresignMode;
  readonly parallelism: number;
}

/** Uploads, and prints how many files that were. Nothing is deleted. */
export async function uploadFolder(
  call: CommandCall,
  link: ContentLink,
  remote: SvcUri,
  { folder, mode, parallelism }: FolderUpload,
): Promise<void> {
  const { context } = call;
  const root = resolve(folder);
  const settings = { ...link.api.settings.local, permissions: false };
  const given = textOption(call.options, "source") ?? "";
  const shown = given.endsWith("/") ? given : `${given}/`;
  const changes = await compareFolder(call, link.api, remote, root, settings, shown);
  const wanted = changes.filter(({ type }) => type !== "removed");
  const progress = await openProgress(call, "Uploading");
  try {
    const tasks = await interruptible(context, (signal) =>
      applyChanges({
        link,
        root,
        remote,
        changes: wanted,
        settings,
        mode,
        parallelism,
        progress,
        warn: (text) => context.err(`${text}\n`),
        moved: movedLine(call),
        prune: false,
        signal,
      }),
    );
    progress.end();
    await summaryOf(call, "Upload", tasks);
  } finally {
    progress.end();
  }
}
