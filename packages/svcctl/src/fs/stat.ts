/** `svcctl fs stat`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { fetchStats } from "../objects/object-stats.ts";
import { statsText } from "../objects/stats-text.ts";
import { printObject } from "../output/print.ts";
import { presignModeOf } from "../transfer/presign-mode.ts";
import { uriArgument } from "../uri/uri-argument.ts";

export async function stat(call: CommandCall): Promise<void> {
  const { repository, ref, path = "" } = uriArgument(call, 0, "path URI", "path");
  const api = openApi(call.context);
  const { presign } = await presignModeOf(api, call, repository);
  const stats = await fetchStats(api, { repository, ref, path }, presign);
  await printObject(call, stats, () => statsText(stats, call.context.style));
}
