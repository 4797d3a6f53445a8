/** `svcctl gc set-config`. */

import { openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { readInput } from "../input.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { rulesPath } from "./rules-path.ts";

export async function setConfig(call: CommandCall): Promise<void> {
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  const rules = rulesOf(await readInput(call.context, given(call, "filename")));
  await openApi(call.context).perform({
    method: "PUT",
    path: rulesPath(repository),
    body: rules,
    expect: 204,
  });
  await printObject(call, rules, () => "");
}

/** The rules of a text. A retention that is no whole number of days above 0 would collect what is in use. */
function rulesOf(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`the policy is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(value)) throw new Error("the policy is not a JSON object");
  const { default_retention_days, branches = [] } = value;
  const faults: string[] = [];
  if (!isDays(default_retention_days))
    faults.push("/default_retention_days: expected a number of days above 0");
  const list: readonly unknown[] = Array.isArray(branches) ? branches : [];
  if (!Array.isArray(branches)) faults.push("/branches: expected a list");
  for (const [index, branch] of list.entries()) {
    const { branch_id, retention_days } = isObject(branch) ? branch : {};
    if (typeof branch_id !== "string" || branch_id === "")
      faults.push(`/branches/${index}/branch_id: expected a name`);
    if (!isDays(retention_days))
      faults.push(`/branches/${index}/retention_days: expected a number of days above 0`);
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return { default_retention_days, branches: list };
}

function isDays(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}
