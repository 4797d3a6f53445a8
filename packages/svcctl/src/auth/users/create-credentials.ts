/** `svcctl auth users credentials create`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../../api/api-client.ts";
import { fillPath } from "../../api/path-template.ts";
import type { CommandCall } from "../../command.ts";
import { textField } from "../../output/fields.ts";
import { printObject } from "../../output/print.ts";

/** Width of the labels. */
const LABEL = 19;

/** Creates an access key and prints it with its secret. */
export async function createCredentials(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const path = await fillPath(api, call, ["auth", "users", { option: "id", orSelf: true }, "credentials"]);
  const key = await api.fetchObject({ method: "POST", path, expect: 201 });
  const { green, bold, yellow } = call.context.style;
  const line = (label: string, field: string): string =>
    `${label.padEnd(LABEL)}${bold(safeText(textField(key, field)))}`;
  await printObject(call, key, () => {
    const lines = [
      green("Credentials created successfully."),
      line("Access Key ID:", "access_key_id"),
      line("Secret Access Key:", "secret_access_key"),
      "",
      yellow("Keep these somewhere safe since you will not be able to see the secret key again"),
    ];
    return `${lines.join("\n")}\n`;
  });
}
