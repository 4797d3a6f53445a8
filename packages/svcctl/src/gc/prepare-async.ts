/** `svcctl gc prepare-async` and `check-async`: the list of commits that garbage collection reads. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import type { Style } from "../style.ts";
import { uriText } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";

const commitsPath = (repository: string, last: string): readonly string[] => [
  "repositories",
  repository,
  "gc",
  "prepare_commits",
  last,
];

/** Starts the task and prints its id. */
export async function prepareAsync(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "repository URI", "repository");
  const path = commitsPath(uri.repository, "async");
  const task = await openApi(call.context).fetchObject({ method: "POST", path, expect: 202 });
  const id = safeText(textField(task, "id"));
  const { yellow } = call.context.style;
  const check = `svcctl gc check-async ${safeText(uriText(uri))} --id ${id}`;
  const text = `Started prepare GC commits task ${yellow(id)}.\n\nCheck it using\n    ${check}\n`;
  await printObject(call, task, () => text);
}

/** Prints how far a task is. */
export async function checkAsync(call: CommandCall): Promise<void> {
  const { repository } = uriArgument(call, 0, "repository URI", "repository");
  const path = commitsPath(repository, "status");
  const query = { id: given(call, "id") };
  const status = await openApi(call.context).fetchObject({ method: "GET", path, query, expect: 200 });
  await printObject(call, status, () => statusText(status, call.context.style));
}

function statusText(status: JsonObject, { blue, bold, red, yellow }: Style): string {
  const state = status["completed"] === true ? "Completed" : "Running";
  const { error, result } = status;
  const failed = isObject(error)
    ? `${bold(red("Failed:"))} ${bold(safeText(textField(error, "message")))}`
    : "";
  const lines = isObject(result) ? resultLines(result, blue) : [];
  return [
    `GC commits task ${yellow(safeText(textField(status, "task_id")))}: ${state}.${failed === "" ? "" : ` ${failed}`}`,
    ...lines,
    "",
    `Last updated ${safeText(textField(status, "update_time"))}.`,
    "",
  ].join("\n");
}

function resultLines(result: JsonObject, blue: (text: string) => string): readonly string[] {
  const url = textField(result, "gc_commits_presigned_url");
  return [
    `Commits location: ${blue(safeText(textField(result, "gc_commits_location")))}`,
    ...(url === "" ? [] : [`  Presigned URL:  ${blue(safeText(url))}`]),
    `  Run ID:           ${safeText(textField(result, "run_id"))}`,
  ];
}
