/** `svcctl auth policies` create, update and show. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { type Call, type JsonObject, openApi } from "../../api/api-client.ts";
import type { CommandCall } from "../../command.ts";
import { given } from "../../given.ts";
import { printObject } from "../../output/print.ts";
import { paramsOf } from "../../policy/template-options.ts";
import { policyDetails } from "./policy-details.ts";
import { acceptedIn, parseDocument, readDocument } from "./statement-document.ts";

const POLICIES = ["auth", "policies"];

export async function createPolicy(call: CommandCall): Promise<void> {
  const policy = await writePolicy(call, { method: "POST", path: POLICIES, expect: 201 });
  const { style } = call.context;
  const text = (): string =>
    `${style.green("Policy created successfully.")}\n${policyDetails(policy, style)}`;
  await printObject(call, policy, text);
}

/** Keeps the attachments, which deleting the policy and creating it again would remove. */
export async function updatePolicy(call: CommandCall): Promise<void> {
  const path = [...POLICIES, given(call, "id")];
  const policy = await writePolicy(call, { method: "PUT", path, expect: 200 });
  const { green } = call.context.style;
  await printObject(call, policy, () => `${green("Policy updated successfully.")}\n`);
}

export async function restorePolicy(call: CommandCall): Promise<void> {
  const path = [...POLICIES, given(call, "id"), "restore"];
  const body = { position: given(call, "position") };
  const api = openApi(call.context);
  const policy = await api.fetchObject({ method: "POST", path, body, expect: 200 });
  const { style } = call.context;
  const text = (): string =>
    `${style.green("Policy restored successfully.")}\n${policyDetails(policy, style)}`;
  await printObject(call, policy, text);
}

async function writePolicy(call: CommandCall, request: Omit<Call, "body">): Promise<JsonObject> {
  const api = openApi(call.context);
  return api.fetchObject({ ...request, body: await policyOf(call) });
}

/** The policy that the options describe: a document, or a template with parameters. */
async function policyOf(
  call: CommandCall,
): Promise<{ id: string; statement: readonly Statement[]; accept?: unknown }> {
  const { context, options } = call;
  const template = textOption(options, "template");
  const document = textOption(options, "statementDocument");
  const params = paramsOf(options);
  if (template === undefined) {
    if (params.length > 0) throw new UsageFailure("--param needs --template");
    const text = await readDocument(context, document ?? "");
    return { id: given(call, "id"), statement: parseDocument(text, remarksOf(call)), ...acceptedIn(text) };
  }
  if (document !== undefined)
    throw new UsageFailure("--template and --statement-document exclude each other");
  const partition = textOption(options, "partition") ?? "svc";
  // Loads the whole catalog, which a document does not need.
  const { renderTemplate } = await import("../../policy/render-template.ts");
  const { name, statement } = await renderTemplate({ template, params, partition });
  return { id: textOption(options, "id") ?? name, statement };
}

/** With `--lenient-members`: what warns of a member that is left out. */
function remarksOf({ context, options }: CommandCall): ((at: string) => void) | undefined {
  if (options["lenientMembers"] !== true) return undefined;
  return (at) =>
    context.err(`warning: ${at} is no member of a statement and is left out; the next version refuses it\n`);
}

export async function showPolicy(call: CommandCall): Promise<void> {
  const path = [...POLICIES, given(call, "id")];
  const policy = await openApi(call.context).fetchObject({ method: "GET", path, expect: 200 });
  await printObject(call, policy, () => policyDetails(policy, call.context.style));
}
