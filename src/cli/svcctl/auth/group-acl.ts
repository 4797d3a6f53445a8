/** `svcctl auth groups acl`. */

import { safeText } from "../../safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { jsonText } from "../output/json-text.ts";
import { given } from "./names.ts";

function pathOf(call: CommandCall): string[] {
  return ["auth", "groups", given(call, "id"), "acl"];
}

export async function getAcl(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const acl = await openApi(context).fetchObject({ method: "GET", path: pathOf(call), expect: 200 });
  if (options["json"] === true) return context.out(jsonText(acl));
  context.out(`Group ${safeText(given(call, "id"))}:${safeText(textField(acl, "permission"))}\n`);
}

/** Prints nothing, as `lakectl` does; with `--json`, the new access list. */
export async function setAcl(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const body = { permission: given(call, "permission") };
  await openApi(context).perform({ method: "POST", path: pathOf(call), body, expect: 201 });
  if (options["json"] === true) context.out(jsonText(body));
}
