/** `svcctl audit list`, `show` and `tail`. */

import { type OptionValues, textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { fetchPage, isObject } from "../api/pages.ts";
import { recordEvents, wantedRecords } from "../api/record-events.ts";
import type { CommandCall } from "../command.ts";
import { decisionFilters } from "../decisions/decision-filters.ts";
import { printLostRecords, printMissingNodes } from "../output/missing-records.ts";
import { printPage } from "../output/page.ts";
import { printObject } from "../output/print.ts";

const COLUMNS = [
  { heading: "Time", name: "at", fields: ["at"] },
  { heading: "ID", name: "id", fields: ["id"] },
  { heading: "Event", name: "event", fields: ["event"] },
  { heading: "Actor", name: "actor", fields: ["actor"] },
  { heading: "Operation", name: "operation", fields: ["operation"] },
  { heading: "Changed", name: "changed", fields: [] },
  { heading: "Outcome", name: "outcome", fields: ["outcome"] },
] as const;

/** Fetches and prints records. */
export async function listAudit(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const page = await fetchPage(api, call, ["audit"], filtersOf(call.options));
  printMissingNodes(call.context, page.answer);
  printLostRecords(call.context, page.answer);
  await printPage(call, page, {
    columns: COLUMNS,
    isOurs: true,
    rowsOf: (record) => [
      {
        at: text(record["at"]),
        id: text(record["id"]),
        event: text(record["event"]),
        actor: text(record["actor"]),
        operation: text(record["operation"]),
        changed: changesOf(record).map(targetText),
        outcome: text(record["outcome"]),
      },
    ],
  });
}

/** Fetches and prints a record. */
export async function showAudit(call: CommandCall): Promise<void> {
  const [id = ""] = call.args;
  const api = openApi(call.context);
  const answer = await api.fetchObject({
    method: "GET",
    path: ["audit", id],
    expect: 200,
    members: ["record"],
  });
  await printObject(call, answer, () => recordText(answer, call));
}

/** Prints records, with `--count` so many. Rejects where the stream ends before. */
export async function tailAudit(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const wanted = wantedRecords(options);
  let printed = 0;
  for await (const record of recordEvents(context, ["audit", "stream"], filtersOf(options))) {
    context.out(options["json"] === true ? `${JSON.stringify(record)}\n` : `${lineOf(record)}\n`);
    if (++printed >= wanted) return;
  }
}

function filtersOf(options: OptionValues): Readonly<Record<string, string | undefined>> {
  const { since, until } = decisionFilters(options);
  const named = ["actor", "operation", "target", "event"].map((name) => [name, textOption(options, name)]);
  return { ...(Object.fromEntries(named) as Record<string, string | undefined>), since, until };
}

function lineOf(record: JsonObject): string {
  const fields = ["at", "id", "event", "actor", "operation"].map((name) => text(record[name]));
  const outcome = record["outcome"] === undefined ? [] : [`outcome ${text(record["outcome"])}`];
  return [...fields, changesOf(record).map(targetText).join(", "), ...outcome].join("  ");
}

function recordText(answer: JsonObject, { context }: CommandCall): string {
  const { bold } = context.style;
  const record = isObject(answer["record"]) ? answer["record"] : {};
  const fields = Object.entries(record).filter(([name]) => !HIDDEN.has(name));
  const lines = fields.map(([name, value]) => `${safeText(name)}: ${bold(text(value))}`);
  for (const change of changesOf(record)) {
    lines.push("", bold(targetText(change)));
    lines.push(`  before: ${valueText(change["before"])}`, `  after:  ${valueText(change["after"])}`);
  }
  return [...lines, ""].join("\n");
}

const HIDDEN: ReadonlySet<string> = new Set(["format", "changes", "prev", "crc"]);

function changesOf(record: JsonObject): readonly JsonObject[] {
  return Array.isArray(record["changes"]) ? record["changes"].filter(isObject) : [];
}

function targetText({ kind, name, of }: JsonObject): string {
  return `${text(kind)} ${text(name)}${of === undefined ? "" : ` of ${text(of)}`}`;
}

function valueText(value: unknown): string {
  return value === null || value === undefined ? "-" : safeText(JSON.stringify(value));
}

/** Texts of a record may come from anybody, so that none reaches a terminal as it is. */
function text(value: unknown): string {
  return value === undefined ? "" : safeText(typeof value === "string" ? value : JSON.stringify(value));
}
