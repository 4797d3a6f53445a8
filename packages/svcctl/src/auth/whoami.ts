/** `svcctl auth whoami`: who the caller is, who vouched, where its groups came from, when the session ends. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Session } from "@svc-authorizer/contract/management-api.gen.ts";
import { openApi } from "../api/api-client.ts";
import { answerTo } from "../api/operation.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { objectsIn, textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";

const SOURCES: ReadonlyMap<string, string> = new Map([
  ["data_set", "a data set"],
  ["directory", "an administrator, SCIM or an import"],
]);

export async function showSession(call: CommandCall): Promise<void> {
  const session = await answerTo(openApi(call.context), "GET /auth/session", { members: ["user"] });
  await printObject(call, session, () => textOf(session));
}

function textOf(session: Session): string {
  const [provider] = objectsIn([session.provider]);
  const name = provider === undefined ? "" : textField(provider, "title");
  const groups = objectsIn(session.groups);
  const rows = [
    ["User", textField(session, "user")],
    ["Signed in with", name === "" ? textField(session, "how").replaceAll("_", " ") : name],
    ["External id", textField(session, "external_id")],
    ["Session ends", formatDate(session.expires_at)],
  ].filter(([, value]) => value !== "");
  const lines = [
    ...rows.map(([title = "", value = ""]) => `${`${title}:`.padEnd(16)}${safeText(value)}`),
    ...(groups.length > 0 ? ["Groups:"] : []),
    ...groups.map((group) => `  ${safeText(textField(group, "name"))} (from ${safeText(sourceOf(group))})`),
    ...(session.more_groups === true ? ["  and more"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function sourceOf(group: Session["groups"][number]): string {
  const from = textField(group, "from");
  return from === "identity_provider" ? textField(group, "provider") : (SOURCES.get(from) ?? from);
}
