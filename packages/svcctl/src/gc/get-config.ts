/** `svcctl gc get-config`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { rulesPath } from "./rules-path.ts";

export async function getConfig(call: CommandCall): Promise<void> {
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  const path = rulesPath(repository);
  const asked = { method: "GET", path, expect: 200, members: ["default_retention_days"] } as const;
  const rules = await openApi(call.context).fetchObject(asked);
  await printObject(call, rules, () => rulesText(rules));
}

function rulesText(rules: JsonObject): string {
  const branches = Array.isArray(rules["branches"]) ? rules["branches"].filter(isObject) : [];
  const shown = branches.map(
    (branch) =>
      `\n  - Branch: ${safeText(textField(branch, "branch_id"))}\n    Retention Days: ${Number(branch["retention_days"])}`,
  );
  return `Default Retention Days: ${Number(rules["default_retention_days"])}\nBranch Rules: ${shown.join("")}\n`;
}
