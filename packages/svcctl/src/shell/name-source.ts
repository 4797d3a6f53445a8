/** Names for completion: actions and templates that ship, the others from the server. */

import { unlessEmpty } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import { actionNames, templateSummaries } from "@svc-authorizer/policy/catalog/template-summaries.ts";
import { ApiClient } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandContext } from "../command-context.ts";
import { textField } from "../output/fields.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { NameSource, UriName } from "./completions.ts";
import { rememberedNames } from "./remembered-names.ts";
import { urisThatBeginWith } from "./uri-completions.ts";

/** Most names that are offered. */
const MOST = 100;

/** Time limit of a completion in milliseconds. */
const PATIENCE_MS = 2_000;

const LISTS = { user: "users", group: "groups", policy: "policies" } as const;

/**
 * Returns the source of names for completion.
 * @param words the command line, which may name a configuration file
 */
export function nameSource(context: CommandContext, words: readonly string[]): NameSource {
  const config = configOf(words);
  if (config !== undefined) context.useOptions({ ...context.options, config });
  return async (kind, typed) => {
    if (kind === "template") return templateSummaries().map(({ id }) => id);
    if (kind === "action") return actionNames();
    try {
      const api = completionApi(context);
      const ask = (): Promise<readonly string[]> =>
        kind.endsWith("-uri")
          ? urisThatBeginWith(api, kind as UriName, typed)
          : namesFromServer(api, LISTS[kind as keyof typeof LISTS], typed);
      const { endpointUrl, accessKeyId } = api.settings;
      return await rememberedNames(context, [endpointUrl, accessKeyId, kind, typed], ask);
    } catch {
      // Nothing is offered where the server cannot be asked: a message would end up in the command line.
      return [];
    }
  };
}

function completionApi(context: CommandContext): ApiClient {
  const settings = loadSettings(context);
  const once = { ...settings, retries: { ...settings.retries, enabled: false } };
  return new ApiClient(context, once, PATIENCE_MS);
}

async function namesFromServer(api: ApiClient, list: string, prefix: string): Promise<readonly string[]> {
  const query = { prefix: unlessEmpty(prefix), amount: MOST };
  const { results } = await api.fetchObject({ method: "GET", path: ["auth", list], query, expect: 200 });
  if (!Array.isArray(results)) return [];
  const names = results.filter(isObject).map((one) => textField(one, "id"));
  // Completion has one word a line, and shells split it at blanks.
  return names.filter((name) => /^[^\s\p{Cc}]+$/u.test(name));
}

/** The value of `--config` or `-c`. */
function configOf(words: readonly string[]): string | undefined {
  const index = words.findIndex((word) => word === "--config" || word === "-c");
  const joined = words.find((word) => word.startsWith("--config="));
  return index >= 0 ? words[index + 1] : joined?.slice("--config=".length);
}
