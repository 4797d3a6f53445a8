/** `svcctl branch reset`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { confirm } from "../uri/confirm.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

const QUESTION = "Are you sure you want to reset all uncommitted changes";

export async function resetBranch(call: CommandCall): Promise<void> {
  const { body, question } = resetOf(call);
  const api = openApi(call.context);
  const uri = uriArgument(call, 0, "branch URI", "branch");
  announce(call, "Branch", uri);
  await confirm(call, question, "Reset aborted");
  const path = ["repositories", uri.repository, "branches", uri.ref];
  await api.perform({ method: "PUT", path, body, expect: 204 });
  await printObject(call, { id: uri.ref, reset: body }, () => "");
}

function resetOf({ options }: CommandCall): { body: object; question: string } {
  const prefix = textOption(options, "prefix") ?? "";
  const object = textOption(options, "object") ?? "";
  // Taking one of them would reset more, or other, changes than was meant.
  if (prefix !== "" && object !== "") throw new UsageFailure("--prefix and --object exclude each other");
  // Of a script whose variable is empty: everything would be reset.
  for (const name of ["prefix", "object"]) {
    if (options[name] === "") throw new UsageFailure(`--${name} is empty: leave it out to reset everything`);
  }
  if (prefix !== "") {
    return { body: { type: "common_prefix", path: prefix }, question: `${QUESTION} from path: ${prefix}` };
  }
  if (object !== "") {
    return { body: { type: "object", path: object }, question: `${QUESTION} for object: ${object}` };
  }
  return { body: { type: "reset" }, question: QUESTION };
}
