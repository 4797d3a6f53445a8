/** `svcctl repo create` and `create-bare`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

export const createRepository = (call: CommandCall): Promise<void> => create(call, false);
export const createBareRepository = (call: CommandCall): Promise<void> => create(call, true);

async function create(call: CommandCall, bare: boolean): Promise<void> {
  const api = openApi(call.context);
  const uri = uriArgument(call, 0, "repository URI", "repository");
  announce(call, "Repository", uri);
  const body = {
    name: uri.repository,
    storage_namespace: call.args[1],
    default_branch: call.options["defaultBranch"],
    ...(call.options["sampleData"] === true && { sample_data: true }),
  };
  const query = bare ? { bare } : {};
  const created = await api.fetchObject({ method: "POST", path: ["repositories"], query, body, expect: 201 });
  const field = (name: string): string => safeText(textField(created, name));
  await printObject(call, created, () => {
    const lines = [
      `Repository '${field("id")}' created:`,
      `storage namespace: ${field("storage_namespace")}`,
      `default branch: ${field("default_branch")}`,
      `timestamp: ${Number(created["creation_date"])}`,
      ...(call.options["sampleData"] === true ? ["sample data included"] : []),
    ];
    return `${lines.join("\n")}\n`;
  });
}
