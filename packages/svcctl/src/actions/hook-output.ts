/** Output of hooks, and `svcctl cat-hook-output`. */

import { safeMessage } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";

/** The output of a hook in a run. */
export async function fetchHookOutput(
  api: ApiClient,
  repository: string,
  run: string,
  hookRun: string,
): Promise<string> {
  const path = ["repositories", repository, "actions", "runs", run, "hooks", hookRun, "output"];
  return (await api.perform({ method: "GET", path, expect: 200 })).text;
}

export async function catHookOutput(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "repository URI", "repository");
  announce(call, "Repository", uri);
  const [, run = "", hookRun = ""] = call.args;
  const output = await fetchHookOutput(openApi(call.context), uri.repository, run, hookRun);
  await printObject(call, { run_id: run, hook_run_id: hookRun, output }, () => `${safeMessage(output)}\n`);
}
