/** `svcctl auth users` list, create, delete, and `svcctl auth users groups list`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { firstText, textField } from "../output/fields.ts";
import { printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { printCreated } from "./created.ts";
import { given } from "./names.ts";

const USERS = ["auth", "users"];

export async function listUsers(call: CommandCall): Promise<void> {
  await printPage(openApi(call.context), call, USERS, {
    headers: ["ID", "User", "Creation Date"],
    rowsOf: (user) => [
      [
        textField(user, "id"),
        firstText(user, "friendly_name", "email", "id"),
        formatDate(user["creation_date"]),
      ],
    ],
  });
}

export async function createUser(call: CommandCall): Promise<void> {
  const body = { id: given(call, "id") };
  const user = await openApi(call.context).fetchObject({ method: "POST", path: USERS, body, expect: 201 });
  printCreated(call, "User created successfully.", user);
}

export async function deleteUser(call: CommandCall): Promise<void> {
  const path = [...USERS, given(call, "id")];
  await openApi(call.context).perform({ method: "DELETE", path, expect: 204 });
  printDone(call, "User deleted successfully");
}

export async function listUserGroups(call: CommandCall): Promise<void> {
  await printPage(openApi(call.context), call, [...USERS, given(call, "id"), "groups"], {
    headers: ["Group ID", "Creation Date"],
    rowsOf: (group) => [[textField(group, "id"), formatDate(group["creation_date"])]],
  });
}
