/** `svcctl auth users credentials`. */

import { safeText } from "../../safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { jsonText, printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { given, userOrSelf } from "./names.ts";

/** Width of the labels. */
const LABEL = 19;

function credentialsOf(user: string): string[] {
  return ["auth", "users", user, "credentials"];
}

export async function listCredentials(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const user = await userOrSelf(api, call, "id");
  await printPage(api, call, credentialsOf(user), {
    headers: ["Access Key ID", "Issued Date"],
    rowsOf: (key) => [[textField(key, "access_key_id"), formatDate(key["creation_date"])]],
  });
}

export async function createCredentials(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const api = openApi(context);
  const user = await userOrSelf(api, call, "id");
  const key = await api.fetchObject({ method: "POST", path: credentialsOf(user), expect: 201 });
  if (options["json"] === true) return context.out(jsonText(key));
  const { green, bold, yellow } = context.style;
  const line = (label: string, field: string): string =>
    `${label.padEnd(LABEL)}${bold(safeText(textField(key, field)))}`;
  const lines = [
    green("Credentials created successfully."),
    line("Access Key ID:", "access_key_id"),
    line("Secret Access Key:", "secret_access_key"),
    "",
    yellow("Keep these somewhere safe since you will not be able to see the secret key again"),
  ];
  context.out(`${lines.join("\n")}\n`);
}

export async function deleteCredentials(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const user = await userOrSelf(api, call, "id");
  const path = [...credentialsOf(user), given(call, "accessKeyId")];
  await api.perform({ method: "DELETE", path, expect: 204 });
  printDone(call, "Credentials deleted successfully");
}
