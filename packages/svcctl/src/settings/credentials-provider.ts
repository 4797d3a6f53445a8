/** `credentials.provider.type`, which names another source of credentials than an access key. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Settings } from "./load-settings.ts";

/**
 * The reason why no call can be made with these credentials: they would come from a provider, and svcctl has none. An
 * access key takes precedence over providers, as in the data server's tool.
 */
export function providerFault({
  provider,
  accessKeyId,
  secretAccessKey,
}: Pick<Settings, "provider" | "accessKeyId" | "secretAccessKey">): string | undefined {
  if (provider === "" || accessKeyId + secretAccessKey !== "") return undefined;
  return `credentials.provider.type is ${safeText(provider)}, and svcctl works with access keys only: set credentials.access_key_id and credentials.secret_access_key (svcctl auth users credentials create makes them)`;
}
