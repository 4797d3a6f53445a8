/** `svcctl version` and `svcctl --version`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { ApiClient } from "./api/api-client.ts";
import { authorizationOf } from "./api/authorization.ts";
import type { CommandCall } from "./command.ts";
import type { CommandContext } from "./command-context.ts";
import { printObject } from "./output/print.ts";
import { loadSettings } from "./settings/load-settings.ts";

/** Prints the version, and that of the server if it answers. Fails if a server is configured and does not answer. */
export async function showVersion(call: CommandCall): Promise<void> {
  const { context } = call;
  const server = await serverVersion(context);
  const versions = { svcctl: context.version, ...(server !== undefined && { server }) };
  await printObject(call, versions, () => versionLines(context, server));
}

/**
 * The option: the same, but a server that does not answer is no failure. The reason is printed only with `--verbose`
 * (spec/management-cli §2).
 */
export async function printVersion(context: CommandContext): Promise<void> {
  try {
    context.out(versionLines(context, await serverVersion(context)));
  } catch (error) {
    context.out(versionLines(context, undefined));
    if (context.options.verbose) context.err(`${(error as Error).message}\n`);
  }
}

function versionLines({ version }: CommandContext, server: string | undefined): string {
  const own = `svcctl version: ${version}\n`;
  return server === undefined ? own : `${own}server version: ${safeText(server)}\n`;
}

async function serverVersion(context: CommandContext): Promise<string | undefined> {
  const settings = loadSettings(context);
  if (authorizationOf(settings) === undefined) return undefined;
  const once = { ...settings, retries: { ...settings.retries, enabled: false } };
  const api = new ApiClient(context, once);
  const { version_config: config } = await api.fetchObject({ method: "GET", path: ["config"], expect: 200 });
  const { version } = (config ?? {}) as { version?: unknown };
  return typeof version === "string" ? version : undefined;
}
