/** `svcctl auth whoami`: who the caller is, who vouched, where its groups came from, when the session ends. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";

const SOURCES: ReadonlyMap<string, string> = new Map([
  ["data_set", "a data set"],
  ["directory", "an administrator, SCIM or an import"],
]);

export async function showSession(call: CommandCall): Promise<void> {
  const path = ["auth", "session"];
  const session = await openApi(call.context).fetchObject({ method: "GET", path, expect: 200 });
  await printObject(call, session, () => textOf(session));
}

function textOf(session: JsonObject): string {
  const { provider, groups, expires_at: expiresAt } = session;
  const name = provider === undefined ? "" : textField(provider as JsonObject, "title");
  const rows = [
    ["User", textField(session, "user")],
    ["Signed in with", name === "" ? textField(session, "how").replaceAll("_", " ") : name],
    ["External id", textField(session, "external_id")],
    ["Session ends", formatDate(expiresAt)],
  ].filter(([, value]) => value !== "");
  const list = (Array.isArray(groups) ? groups : []) as readonly JsonObject[];
  const lines = [
    ...rows.map(([title = "", value = ""]) => `${`${title}:`.padEnd(16)}${safeText(value)}`),
    ...(list.length > 0 ? ["Groups:"] : []),
    ...list.map((group) => `  ${safeText(textField(group, "name"))} (from ${safeText(sourceOf(group))})`),
    ...(session["more_groups"] === true ? ["  and more"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function sourceOf(group: JsonObject): string {
  const from = textField(group, "from");
  return from === "identity_provider" ? textField(group, "provider") : (SOURCES.get(from) ?? from);
}
