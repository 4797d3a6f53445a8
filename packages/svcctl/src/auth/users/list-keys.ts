/** `svcctl auth users credentials list`: a key that soon expires is warned about. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../../api/api-client.ts";
import type { CommandCall } from "../../command.ts";
import { formatDate } from "../../output/dates.ts";
import { textField } from "../../output/fields.ts";

/** Time before the expiry of a key in which somebody should replace it, in seconds. */
const SOON = 7 * 86_400;

/** Warns of the keys of a page that expire within a week. */
export function warnOfExpiry({ context }: CommandCall, keys: readonly JsonObject[]): void {
  for (const key of keys) {
    const at = key["expires_at"];
    if (typeof at !== "number" || at - Date.now() / 1_000 > SOON) continue;
    context.err(
      `warning: access key ${safeText(textField(key, "access_key_id"))} expires on ${formatDate(at)}\n`,
    );
  }
}
