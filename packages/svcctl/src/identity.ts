/** `svcctl identity`: the user whose access key is in use, in the form of the data server's tool. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "./api/api-client.ts";
import { fetchCurrentUser } from "./api/current-user.ts";
import type { CommandCall } from "./command.ts";
import { formatDate } from "./output/dates.ts";
import { textField } from "./output/fields.ts";
import { printObject } from "./output/print.ts";

export async function showIdentity(call: CommandCall): Promise<void> {
  const user = await fetchCurrentUser(openApi(call.context));
  const { blue, yellow } = call.context.style;
  const email = textField(user, "email");
  const lines = [
    `User ID:          ${yellow(safeText(user.id))}`,
    `Email:            ${email === "" ? "" : blue(safeText(email))}`,
    `Creation Date:    ${formatDate(user["creation_date"])}`,
  ];
  await printObject(call, user, () => `${lines.join("\n")}\n`);
}
