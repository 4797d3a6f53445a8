/** Keys of page tokens, derived so that they outlive a restart and are the same on every node. */

import { hkdfSync } from "node:crypto";
import { PAGE_TOKEN_KEY_BYTES } from "../api/decisions/page-tokens.ts";
import type { ConfigValues } from "../config/table.ts";

const PURPOSE = "svc-authorizer 1 page tokens";

/** The keys, that of `auth.encrypt.secret_key` first; none where there is no such key. */
export function pageTokenKeys(values: ConfigValues): readonly Buffer[] {
  const secrets = [values["auth.encrypt.secret_key"], values["authorizer.previous_secret_key"]];
  return secrets
    .filter((secret) => secret !== undefined && secret !== "")
    .map((secret) => Buffer.from(hkdfSync("sha256", secret as string, "", PURPOSE, PAGE_TOKEN_KEY_BYTES)));
}
