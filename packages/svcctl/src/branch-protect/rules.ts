/** `svcctl branch-protect add`, `delete` and `list`. */

import { type ApiClient, type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printPage } from "../output/page.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";

/** The rules of a repository, and which version of them that is. */
interface Rules {
  readonly path: readonly string[];
  readonly rules: readonly JsonObject[];
  readonly etag: string | undefined;
}

export async function listRules(call: CommandCall): Promise<void> {
  const { rules } = await fetchRules(openApi(call.context), call);
  const columns = [{ heading: "Branch Name Pattern", name: "pattern", fields: ["pattern"] }];
  const page = { results: rules, next: undefined, amount: rules.length, answer: { results: rules } };
  await printPage(call, page, { columns });
}

export async function addRule(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const found = await fetchRules(api, call);
  const pattern = call.args[1] ?? "";
  await putRules(api, found, [...found.rules, { pattern }]);
  await printObject(call, { pattern, added: true }, () => "");
}

export async function deleteRule(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const found = await fetchRules(api, call);
  const pattern = call.args[1] ?? "";
  const kept = found.rules.filter((rule) => textField(rule, "pattern") !== pattern);
  if (kept.length === found.rules.length) throw new Error("Branch protection rule not found");
  await putRules(api, found, kept);
  await printObject(call, { pattern, deleted: true }, () => "");
}

async function fetchRules(api: ApiClient, call: CommandCall): Promise<Rules> {
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  const path = ["repositories", repository, "settings", "branch_protection"];
  const { json, headers } = await api.perform({ method: "GET", path, expect: 200 });
  if (!Array.isArray(json)) throw new Error("Bad response from server");
  return { path, rules: json.filter(isObject), etag: headers.get("etag") ?? undefined };
}

/** Replaces the rules, unless somebody else changed them meanwhile. */
async function putRules(api: ApiClient, { path, etag }: Rules, body: readonly JsonObject[]): Promise<void> {
  const headers: Record<string, string> = etag === undefined || etag === "" ? {} : { "if-match": etag };
  await api.perform({ method: "PUT", path, headers, body, expect: 204 });
}
