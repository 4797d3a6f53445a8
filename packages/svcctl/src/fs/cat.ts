/** `svcctl fs cat`. */

import { once } from "node:events";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { ContentLink } from "../transfer/connection/content-link.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { presignModeOf } from "../transfer/presign-mode.ts";
import { uriArgument } from "../uri/uri-argument.ts";

/** Writes the content to standard output. What was written cannot be taken back, so it is not tried again. */
export async function cat(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "path URI", "path");
  const api = openApi(call.context);
  const { presign } = await presignModeOf(api, call, uri.repository);
  const link = new ContentLink(api, 1);
  const { stdout } = call.context.edge;
  const path = ["repositories", uri.repository, "refs", uri.ref, "objects"];
  const query = { path: uri.path ?? "", ...(presign && { presign }) };
  let failure: unknown;
  try {
    await interruptible(call.context, (signal) =>
      link.askServer({ method: "GET", path, query }, { signal }, async ({ body }) => {
        try {
          for await (const chunk of body) if (!stdout.write(chunk)) await once(stdout, "drain", { signal });
        } catch (error) {
          failure = error;
        }
      }),
    );
  } finally {
    link.close();
  }
  if (failure !== undefined) throw failure;
}
