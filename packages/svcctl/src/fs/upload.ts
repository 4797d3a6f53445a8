/** `svcctl fs upload`. */

import { resolve } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { statsText } from "../objects/stats-text.ts";
import { printObject } from "../output/print.ts";
import { ContentLink } from "../transfer/connection/content-link.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { parallelismOf, presignModeOf } from "../transfer/presign-mode.ts";
import { openProgress } from "../transfer/progress.ts";
import { spooledInput } from "../transfer/upload/local-source.ts";
import type { UploadSource } from "../transfer/upload/upload-body.ts";
import { uploadObject } from "../transfer/upload/upload-object.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { kindOfSource } from "./source-kind.ts";
import { uploadFolder } from "./upload-folder.ts";

/** Uploads a file, standard input or, with `--recursive`, what a folder has and the repository lacks. */
export async function upload(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const uri = uriArgument(call, 0, "path URI", "path");
  const source = given(call, "source");
  const api = openApi(context);
  const kind = await kindOfSource(context.edge.cwd, source);
  const parallelism = parallelismOf(api, call);
  const mode = await presignModeOf(api, call, uri.repository);
  const link = new ContentLink(api, parallelism, options["verify"] !== false);
  try {
    if (options["recursive"] === true && kind === "folder") {
      return await uploadFolder(call, link, uri, {
        folder: resolve(context.edge.cwd, source),
        mode,
        parallelism,
      });
    }
    if (kind === "folder") throw new Error(`read ${source}: is a directory`);
    const { repository, ref, path = "" } = uri;
    const place = { repository, ref, path };
    const traits = { contentType: textOption(options, "contentType") ?? "", metadata: {} };
    const spool = source === "-" ? await spooledInput(context.edge.stdin) : undefined;
    const content: UploadSource = spool ?? { file: resolve(context.edge.cwd, source), size: kind.size };
    const progress = await openProgress(call, "Uploading");
    progress.expect(content.size);
    try {
      const stats = await interruptible(context, (signal) =>
        uploadObject(link, { place, source: content, traits, progress, signal }, mode),
      );
      progress.end();
      await printObject(call, stats, () => statsText(stats, context.style));
    } finally {
      progress.end();
      await spool?.dispose();
    }
  } finally {
    link.close();
  }
}
