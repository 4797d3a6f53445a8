/** `svcctl auth users aws-iam`: the AWS IAM roles that users log in with. */

import { safeText } from "../../safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { jsonText, printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { given, userOrSelf } from "./names.ts";

function principalsOf(user: string): string[] {
  return ["auth", "users", user, "external", "principals"];
}

export async function attachRole(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const path = principalsOf(await userOrSelf(api, call, "id"));
  const query = { principalId: given(call, "principalId") };
  await api.perform({ method: "POST", path, query, body: {}, expect: 201 });
  printDone(call, "IAM role attached successfully");
}

export async function detachRole(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const path = principalsOf(await userOrSelf(api, call, "id"));
  const query = { principalId: given(call, "principalId") };
  await api.perform({ method: "DELETE", path, query, expect: 204 });
  printDone(call, "IAM role detached successfully");
}

export async function listRoles(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const path = [...principalsOf(await userOrSelf(api, call, "id")), "ls"];
  await printPage(api, call, path, {
    headers: ["Principal ID", "User ID"],
    rowsOf: (principal) => [[textField(principal, "id"), textField(principal, "user_id")]],
  });
}

export async function lookUpRole(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const query = { principalId: given(call, "principalId") };
  const path = ["auth", "external", "principals"];
  const found = await openApi(context).fetchObject({ method: "GET", path, query, expect: 200 });
  if (options["json"] === true) return context.out(jsonText(found));
  const { bold } = context.style;
  const value = (name: string): string => bold(safeText(textField(found, name)));
  context.out(`Principal ID: ${value("id")}\nUser ID: ${value("user_id")}\n`);
}
