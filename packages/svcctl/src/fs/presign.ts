/** `svcctl fs presign`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { fetchStats } from "../objects/object-stats.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { serverPresignMode } from "../transfer/presign-mode.ts";
import { uriArgument } from "../uri/uri-argument.ts";

export async function presign(call: CommandCall): Promise<void> {
  const { repository, ref, path = "" } = uriArgument(call, 0, "path URI", "path");
  const api = openApi(call.context);
  const mode = await serverPresignMode(api, repository);
  if (!mode.presign) throw new Error("Pre-signed URL support is currently disabled for this server");
  const stats = await fetchStats(api, { repository, ref, path }, true);
  const url = textField(stats, "physical_address");
  const shown = { url, expiry_date: stats["physical_address_expiry"] };
  await printObject(call, shown, () => `${url}\n`);
}
