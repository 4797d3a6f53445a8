/** `svcctl --version`. */

import { safeText } from "../safe-text.ts";
import { ApiClient } from "./api/api-client.ts";
import type { CommandContext } from "./command-context.ts";
import { loadSettings } from "./settings/load-settings.ts";

/**
 * Prints the version, and that of the server where credentials are configured and it answers. Why it does not is told
 * with `--verbose` only; the exit code is 0 all the same.
 */
export async function printVersion(context: CommandContext): Promise<void> {
  context.out(`svcctl version: ${context.version}\n`);
  try {
    const server = await serverVersion(context);
    if (server !== undefined) context.out(`server version: ${safeText(server)}\n`);
  } catch (error) {
    if (context.options.verbose) context.err(`${(error as Error).message}\n`);
  }
}

async function serverVersion(context: CommandContext): Promise<string | undefined> {
  const settings = loadSettings(context);
  if (settings.accessKeyId === "") return undefined;
  const once = { ...settings, retries: { ...settings.retries, enabled: false } };
  const api = new ApiClient(context, once);
  const { version_config: config } = await api.fetchObject({ method: "GET", path: ["config"], expect: 200 });
  const { version } = (config ?? {}) as { version?: unknown };
  return typeof version === "string" ? version : undefined;
}
