/** `svcctl auth groups` list, create, delete. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { firstText, textField } from "../output/fields.ts";
import { printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { printCreated } from "./created.ts";
import { given } from "./names.ts";

const GROUPS = ["auth", "groups"];

export async function listGroups(call: CommandCall): Promise<void> {
  await printPage(openApi(call.context), call, GROUPS, {
    headers: ["ID", "Group Name", "Creation Date"],
    rowsOf: (group) => [
      [textField(group, "id"), firstText(group, "name", "id"), formatDate(group["creation_date"])],
    ],
  });
}

export async function createGroup(call: CommandCall): Promise<void> {
  const body = { id: given(call, "id") };
  const group = await openApi(call.context).fetchObject({ method: "POST", path: GROUPS, body, expect: 201 });
  printCreated(call, "Group created successfully.", group);
}

export async function deleteGroup(call: CommandCall): Promise<void> {
  const path = [...GROUPS, given(call, "id")];
  await openApi(call.context).perform({ method: "DELETE", path, expect: 204 });
  printDone(call, "Group deleted successfully");
}
