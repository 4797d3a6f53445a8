/** `svcctl auth groups acl`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../../api/api-client.ts";
import type { CommandCall } from "../../command.ts";
import { given } from "../../given.ts";
import { textField } from "../../output/fields.ts";
import { printObject } from "../../output/print.ts";

function pathOf(call: CommandCall): string[] {
  return ["auth", "groups", given(call, "id"), "acl"];
}

export async function getAcl(call: CommandCall): Promise<void> {
  const acl = await openApi(call.context).fetchObject({ method: "GET", path: pathOf(call), expect: 200 });
  await printObject(
    call,
    acl,
    () => `Group ${safeText(given(call, "id"))}:${safeText(textField(acl, "permission"))}\n`,
  );
}

/** Prints nothing as text (spec/management-cli §3), and what was set in every other format. */
export async function setAcl(call: CommandCall): Promise<void> {
  const body = { permission: given(call, "permission") };
  await openApi(call.context).perform({ method: "POST", path: pathOf(call), body, expect: 201 });
  await printObject(call, body, () => "");
}
