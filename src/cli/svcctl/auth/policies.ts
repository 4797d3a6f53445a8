/** `svcctl auth policies`. */

import type { Statement } from "../../../model/policy.ts";
import { textOption } from "../../command-spec.ts";
import { UsageFailure } from "../../failure.ts";
import { type Call, type JsonObject, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { jsonText, printDone } from "../output/json-text.ts";
import { printPage } from "../output/page.ts";
import { paramsOf } from "../policy/template-options.ts";
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
  const { context } = call;
  const policy = await writePolicy(call, { method: "POST", path: POLICIES, expect: 201 });
  if (call.options["json"] !== true) context.out(`${context.style.green("Policy created successfully.")}\n`);
  printPolicy(call, policy);
}

/** `lakectl` has no such command: its users must delete a policy, with its attachments, and create it again. */
export async function updatePolicy(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const path = [...POLICIES, given(call, "id")];
  const policy = await writePolicy(call, { method: "PUT", path, expect: 200 });
  const done = `${context.style.green("Policy updated successfully.")}\n`;
  context.out(options["json"] === true ? jsonText(policy) : done);
}

async function writePolicy(call: CommandCall, request: Omit<Call, "body">): Promise<JsonObject> {
  const api = openApi(call.context);
  return api.fetchObject({ ...request, body: await policyOf(call) });
}

/** The policy that the options describe: a document, or a template with parameters. */
async function policyOf(call: CommandCall): Promise<{ id: string; statement: readonly Statement[] }> {
  const { context, options } = call;
  const template = textOption(options, "template");
  const document = textOption(options, "statementDocument");
  const params = paramsOf(options);
  if (template === undefined) {
    if (params.length > 0) throw new UsageFailure("--param needs --template");
    return { id: given(call, "id"), statement: parseDocument(await readDocument(context, document ?? "")) };
  }
  if (document !== undefined)
    throw new UsageFailure("--template and --statement-document exclude each other");
  const partition = textOption(options, "partition") ?? "svc";
  // Loads the whole catalog, which a document does not need.
  const { renderTemplate } = await import("../policy/render-template.ts");
  const { name, statement } = await renderTemplate({ template, params, partition });
  return { id: textOption(options, "id") ?? name, statement };
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
