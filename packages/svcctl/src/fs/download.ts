/** `svcctl fs download`. */

import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { placeSymlink, SYMLINK_TARGET } from "../local/files/symlinks.ts";
import { fetchStats, metadataOf, sizeAndChecksum } from "../objects/object-stats.ts";
import { printObject } from "../output/print.ts";
import { ContentLink } from "../transfer/connection/content-link.ts";
import { downloadObject } from "../transfer/download/download-object.ts";
import { isStandardOutput } from "../transfer/download/download-stream.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { parallelismOf, presignModeOf } from "../transfer/presign-mode.ts";
import { openProgress } from "../transfer/progress.ts";
import { uriText } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { downloadFolder } from "./download-folder.ts";

/** Smallest size of a part, in bytes. */
const SMALLEST_PART = 64 * 1024;

/** Downloads one object, or with `--recursive` all below a path. */
export async function download(call: CommandCall): Promise<void> {
  const { context, options, args } = call;
  const uri = uriArgument(call, 0, "path URI", "path");
  const api = openApi(context);
  const partSize = Number(options["partSize"]);
  if (partSize < SMALLEST_PART) throw new Error(`part size must be at least ${SMALLEST_PART} bytes`);
  const parallelism = parallelismOf(api, call);
  const { presign } = await presignModeOf(api, call, uri.repository);
  const link = new ContentLink(api, parallelism, options["verify"] !== false);
  const target = args[1] ?? ".";
  try {
    if (options["recursive"] === true) {
      const folder = resolve(context.edge.cwd, target);
      return await downloadFolder(call, link, uri, { folder, presign, partSize, parallelism });
    }
    const file = await fileOf(context.edge.cwd, target, uri.path ?? "");
    const { repository, ref, path = "" } = uri;
    const place = { repository, ref, path };
    const stats = await fetchStats(api, place, false).catch((error: unknown) =>
      refused(error, presign ? "" : `failed to download '${safeText(file)}' object: `),
    );
    const linkTarget = api.settings.local.symlinks ? metadataOf(stats).get(SYMLINK_TARGET) : undefined;
    const shown = { source: uriText(uri), file, ...sizeAndChecksum(stats) };
    const said = `download: ${safeText(uriText(uri))} to ${safeText(file)}\n`;
    const done = async (): Promise<void> =>
      isStandardOutput(file) ? context.err(said) : printObject(call, shown, () => said);
    if (linkTarget !== undefined) {
      if (!api.settings.local.skipNonRegular) await placeSymlink(linkTarget, file);
      return await done();
    }
    makeFolder(dirname(file));
    const progress = await openProgress(call, "Downloading");
    const described = sizeAndChecksum(stats);
    progress.expect(described.size);
    const warn = (text: string): void => context.err(`${safeText(text)}\n`);
    try {
      await interruptible(context, (signal) =>
        downloadObject(link, {
          place,
          stats: described,
          file,
          presign,
          partSize,
          progress,
          warn,
          signal,
        }),
      );
    } finally {
      progress.end();
    }
    await done();
  } finally {
    link.close();
  }
}

/** A refusal, in the words that scripts know from the data server's own tool. */
function refused(error: unknown, about: string): never {
  if (!(error instanceof ApiFailure)) throw error;
  throw new Error(`download failed: ${about}request failed: ${error.statusLine}`, { cause: error });
}

/** The file: in a folder, it has the object's name. */
async function fileOf(cwd: string, target: string, path: string): Promise<string> {
  const whole = resolve(cwd, target);
  const found = await stat(whole).catch(() => undefined);
  const inFolder = found?.isDirectory() === true || target.endsWith(sep) || target.endsWith("/");
  return inFolder && path !== "" ? join(whole, basename(path)) : whole;
}
