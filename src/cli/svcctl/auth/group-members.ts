/** `svcctl auth groups members`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { given, userOrSelf } from "./names.ts";

function membersOf(call: CommandCall): string[] {
  return ["auth", "groups", given(call, "id"), "members"];
}

export async function listMembers(call: CommandCall): Promise<void> {
  await printPage(openApi(call.context), call, membersOf(call), {
    headers: ["User ID"],
    rowsOf: (user) => [[textField(user, "id")]],
  });
}

export async function addMember(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const user = await userOrSelf(api, call, "user");
  await api.perform({ method: "PUT", path: [...membersOf(call), user], expect: 201 });
  printDone(call, "User successfully added");
}

export async function removeMember(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const user = await userOrSelf(api, call, "user");
  await api.perform({ method: "DELETE", path: [...membersOf(call), user], expect: 204 });
  printDone(call, "User successfully removed");
}
