/** `svcctl shadow report`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { statementPlace } from "@svc-authorizer/policy/model/statement-words.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { objectsIn } from "../output/fields.ts";
import { printObject } from "../output/print.ts";

/** Fetches and prints the report. */
export async function report(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const answer = await api.fetchObject({
    method: "GET",
    path: ["shadow", "report"],
    expect: 200,
    members: ["decisions", "wider", "narrower", "groups", "differences"],
  });
  await printObject(call, answer, () => [...linesOf(answer, call), ""].join("\n"));
}

function linesOf(answer: JsonObject, { context, options }: CommandCall): readonly string[] {
  const { bold } = context.style;
  const lines = [candidateText(answer), summaryText(answer), ...unansweredText(answer)];
  const differences = objectsIn(answer["differences"]);
  for (const group of objectsIn(answer["groups"])) {
    lines.push("", bold(headingOf(group)));
    const own = differences.filter((one) => keyOf(one) === keyOf(group));
    for (const one of own.slice(0, Number(options["examples"]))) {
      lines.push(`  ${["at", "request_id", "user", "request"].map((name) => text(one[name])).join("  ")}`);
    }
  }
  return lines;
}

function candidateText({ candidate, error }: JsonObject): string {
  const shown = isObject(candidate)
    ? `${KINDS.get(String(candidate["kind"])) ?? "Candidate"}: ${text(candidate["source"])}, loaded ${text(candidate["loaded_at"])}`
    : "No candidate is loaded.";
  return error === undefined ? shown : `${shown}\nThe newest state of its files is not used: ${text(error)}`;
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["data_set", "Data set"],
  ["policies", "Policies"],
]);

function summaryText(answer: JsonObject): string {
  const count = (name: string) => Number(answer[name]).toLocaleString("en");
  const left = Number(answer["dropped"]) + Number(answer["failed"]);
  const note = left === 0 ? "" : ` (${left.toLocaleString("en")} more could not be compared)`;
  return (
    `${count("decisions")} decisions compared${note}: ${count("wider")} would be allowed that were refused, ` +
    `${count("narrower")} refused that were allowed`
  );
}

function unansweredText({ unanswered }: JsonObject): readonly string[] {
  if (unanswered === undefined) return [];
  return [
    `${text(unanswered)} of the processes of the service did not report: what they compared is missing.`,
  ];
}

function headingOf({ change, side, statement, count }: JsonObject): string {
  const requests = `${text(change)}: ${Number(count).toLocaleString("en")} of the last differences`;
  if (!isObject(statement)) return `${requests}, without any statement`;
  const sid = statement["sid"] === undefined ? undefined : text(statement["sid"]);
  const place = `${text(statement["policy"])}, ${statementPlace(Number(statement["statement"]), sid)}`;
  return `${requests} ${side === "added" ? "by" : "without"} ${place}`;
}

function keyOf({ change, side, statement }: JsonObject): string {
  return JSON.stringify([change, side, isObject(statement) && [statement["policy"], statement["statement"]]]);
}

/** Texts of a report may come from anybody, so that none reaches a terminal as it is. */
function text(value: unknown): string {
  return value === null ? "nobody" : safeText(String(value ?? ""));
}
