/** `svcctl refs-dump`. */

import { resolve } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { openFault } from "@svc-authorizer/commands/settings/settings-file.ts";
import { openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { jsonText } from "../output/json-text.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { writeWhole } from "../whole-file.ts";
import { pollSettingsOf, pollTask } from "./task-polling.ts";

/** Lets the server dump branches, tags and commits into its storage, and prints the manifest. */
export async function refsDump(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  const settings = pollSettingsOf(call);
  const api = openApi(context);
  const path = ["repositories", repository, "dump"];
  const task = await api.fetchObject({ method: "POST", path, expect: 202 });
  const request = { path, taskId: textField(task, "id"), verb: "Refs dump" };
  const { refs } = await pollTask(api, request, settings);
  if (!isObject(refs)) throw new Error("Refs dump failed: no refs returned");
  const file = textOption(options, "output") ?? "";
  if (file === "" || file === "-") return context.out(jsonText(refs));
  context.out(`Writing refs to ${file}\n`);
  try {
    await writeWhole(resolve(context.edge.cwd, file), jsonText(refs));
  } catch (error) {
    throw new Error(openFault(file, error), { cause: error });
  }
}
