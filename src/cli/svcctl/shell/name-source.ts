/** Names for completion: actions and templates that ship, users, groups and policies from the server. */

import { actionNames, templateSummaries } from "../../../catalog/template-summaries.ts";
import { ApiClient } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandContext } from "../command-context.ts";
import { textField } from "../output/fields.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { NameSource } from "./completions.ts";

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
      return await namesFromServer(context, LISTS[kind], typed);
    } catch {
      // Nothing is offered where the server cannot be asked: a message would end up in the command line.
      return [];
    }
  };
}

async function namesFromServer(context: CommandContext, list: string, prefix: string): Promise<string[]> {
  const settings = loadSettings(context);
  const once = { ...settings, retries: { ...settings.retries, enabled: false } };
  const api = new ApiClient(context, once, PATIENCE_MS);
  const query = { prefix, amount: MOST };
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
