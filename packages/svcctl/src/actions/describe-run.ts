/** `svcctl actions runs describe`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeMessage } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, type JsonObject, openApi } from "../api/api-client.ts";
import { fetchPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { formatTime } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { nextPageOptions } from "../output/next-page.ts";
import { printObject } from "../output/print.ts";
import { type Cell, gridText, plainRows } from "../output/table.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";
import { fetchHookOutput } from "./hook-output.ts";

/** Colours of a status, as codes of a terminal. */
const STATUS_COLORS: ReadonlyMap<string, number> = new Map([
  ["completed", 32],
  ["skipped", 33],
]);
const FAILED = 31;
const YELLOW = 33;

const RUN = ["Run ID", "Event", "Branch", "Start Time", "End Time", "Commit ID", "Status"];
const HOOK = ["Hook Run ID", "Hook ID", "Start Time", "End Time", "Action", "Status"];

/** Shows a run, then each hook with what it printed. */
export async function describeRun(call: CommandCall): Promise<void> {
  const { context, options, args } = call;
  const uri = uriArgument(call, 0, "repository URI", "repository");
  announce(call, "Repository", uri);
  const api = openApi(context);
  const run = args[1] ?? "";
  const path = ["repositories", uri.repository, "actions", "runs", run];
  const result = await api.fetchObject({ method: "GET", path, expect: 200 });
  const amount = Number(options["amount"] ?? 0);
  const whole = { ...options, all: amount <= 0, amount, after: textOption(options, "after") };
  const asText = context.format === "table" && options["json"] !== true;
  if (asText) context.out(tableText(call, RUN, runCells(call, result)));
  const page = await fetchPage(api, { ...call, options: whole }, [...path, "hooks"]);
  if (!asText) return printObject(call, { run: result, hooks: page.results }, () => "");
  for (const hook of page.results) {
    context.out(tableText(call, HOOK, hookCells(call, hook)));
    context.out(safeMessage(await outputOf(api, uri.repository, run, hook)));
  }
  const more = page.next === undefined ? "" : nextPageOptions(amount, page.next);
  const hint =
    more === "" || !context.terminal ? "" : `for more results run with ${context.style.yellow(more)}\n`;
  context.out(`\n${hint}`);
}

function outputOf(api: ApiClient, repository: string, run: string, hook: JsonObject): Promise<string> {
  return fetchHookOutput(api, repository, run, textField(hook, "hook_run_id"));
}

function tableText({ context }: CommandCall, headings: readonly string[], row: readonly Cell[]): string {
  return context.terminal ? gridText(headings, [row]) : plainRows([row]);
}

function runCells(call: CommandCall, run: JsonObject): readonly Cell[] {
  const text = (name: string): string => textField(run, name);
  return [
    painted(call, YELLOW, text("run_id")),
    text("event_type"),
    text("branch"),
    formatTime(run["start_time"]),
    formatTime(run["end_time"]),
    text("commit_id"),
    painted(call, text("status") === "completed" ? 32 : FAILED, text("status")),
  ];
}

function hookCells(call: CommandCall, hook: JsonObject): readonly Cell[] {
  const text = (name: string): string => textField(hook, name);
  return [
    painted(call, YELLOW, text("hook_run_id")),
    text("hook_id"),
    formatTime(hook["start_time"]),
    formatTime(hook["end_time"]),
    text("action"),
    painted(call, STATUS_COLORS.get(text("status")) ?? FAILED, text("status")),
  ];
}

function painted({ context }: CommandCall, code: number, text: string): Cell {
  return { text, paint: (shown) => (context.terminal ? `\u001b[${code}m${shown}\u001b[0m` : shown) };
}
