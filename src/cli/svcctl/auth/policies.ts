/** `svcctl auth policies`. */

import { type Call, type JsonObject, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command-spec.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { jsonText, printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { given } from "./names.ts";
import { policyDetails } from "./policy-details.ts";
import { parseDocument, readDocument } from "./statement-document.ts";

const POLICIES = ["auth", "policies"];

export async function listPolicies(call: CommandCall): Promise<void> {
  await printPage(openApi(call.context), call, POLICIES, {
    headers: ["Policy ID", "Creation Date"],
    rowsOf: (policy) => [[textField(policy, "id"), formatDate(policy["creation_date"])]],
  });
}

export async function createPolicy(call: CommandCall): Promise<void> {
  await writePolicy(call, { method: "POST", path: POLICIES, expect: 201 }, "Policy created successfully.");
}

/** The original has no such command: there a policy is deleted, with its attachments, and made anew. */
export async function updatePolicy(call: CommandCall): Promise<void> {
  const path = [...POLICIES, given(call, "id")];
  await writePolicy(call, { method: "PUT", path, expect: 200 }, "Policy updated successfully.");
}

async function writePolicy(call: CommandCall, request: Omit<Call, "body">, done: string): Promise<void> {
  const { context, options } = call;
  const text = await readDocument(context, given(call, "statementDocument"));
  const body = { id: given(call, "id"), statement: parseDocument(text) };
  const policy = await openApi(context).fetchObject({ ...request, body });
  if (options["json"] !== true) context.out(`${context.style.green(done)}\n`);
  printPolicy(call, policy);
}

export async function showPolicy(call: CommandCall): Promise<void> {
  const path = [...POLICIES, given(call, "id")];
  printPolicy(call, await openApi(call.context).fetchObject({ method: "GET", path, expect: 200 }));
}

export async function deletePolicy(call: CommandCall): Promise<void> {
  const path = [...POLICIES, given(call, "id")];
  await openApi(call.context).perform({ method: "DELETE", path, expect: 204 });
  printDone(call, "Policy deleted successfully");
}

function printPolicy({ context, options }: CommandCall, policy: JsonObject): void {
  context.out(options["json"] === true ? jsonText(policy) : policyDetails(policy, context.style));
}
