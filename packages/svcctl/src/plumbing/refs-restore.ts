/** `svcctl refs-restore`. */

import { openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { readInput } from "../input.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";
import { pollSettingsOf, pollTask } from "./task-polling.ts";

/** Lets the server restore branches, tags and commits of a manifest into a bare repository. */
export async function refsRestore(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "repository URI", "repository");
  const settings = pollSettingsOf(call);
  announce(call, "Repository", uri);
  const manifest = manifestOf(await readInput(call.context, given(call, "manifest")));
  const api = openApi(call.context);
  const path = ["repositories", uri.repository, "restore"];
  const task = await api.fetchObject({ method: "POST", path, body: manifest, expect: 202 });
  const request = { path, taskId: textField(task, "id"), verb: "Refs restore" };
  await pollTask(api, request, settings);
  const done = call.context.style.green("All references restored successfully!");
  await printObject(call, { repository: uri.repository, restored: true }, () => `\n${done}\n`);
}

function manifestOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new Error(`the manifest is not JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error("the manifest is not a JSON object");
}
