/** `svcctl decisions show`. */

import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { idInBatch, placeInBatch } from "@svc-authorizer/policy/records/record-ids.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import { explanationText } from "../auth/explanation-text.ts";
import type { CommandCall } from "../command.ts";
import { objectsIn } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { summaryOf } from "./record-summary.ts";

/** Status of a record whose directory is no longer kept. */
const GONE = 410;

/** Fetches and prints a record. */
export async function showDecision(call: CommandCall): Promise<void> {
  const { context, options, args } = call;
  const [id = ""] = args;
  const api = openApi(context);
  const path = ["decisions", id];
  const asked = { method: "GET", path, expect: 200, members: ["record"] } as const;
  if (options["explain"] !== true) return print(call, await api.fetchObject(asked));
  const explained = await api.ask({ method: "GET", path, query: { explain: true } });
  if (explained.status !== GONE) {
    return print(call, await api.fetchObject({ ...asked, query: { explain: true } }));
  }
  await print(call, await api.fetchObject(asked));
  const { message } = isObject(explained.json) ? explained.json : {};
  throw new ApiFailure(GONE, "", safeText(String(message ?? "")));
}

async function print(call: CommandCall, answer: JsonObject): Promise<void> {
  const record = isObject(answer["record"]) ? answer["record"] : {};
  const place = placeInBatch(call.args[0] ?? "");
  const listed = objectsIn(record["items"]).length;
  const isListed = place === undefined || place < listed;
  const shown = place === undefined || !isListed ? record : decisionAt(record, place);
  // The reasons of others are not those of a decision that the record lacks.
  await printObject(call, answer, () =>
    [...recordLines(shown, call), ...(isListed ? explanationLines(answer, call, place) : [])].join("\n"),
  );
  if (isListed) return;
  throw new Error(
    `the record of this batch has its first ${listed} decisions (authorizer.decision_log.items): number ${place} is not among them`,
  );
}

/** One decision of a batch in the form of a record. */
function decisionAt(record: JsonObject, place: number): JsonObject {
  const { items, counts: _counts, determining: _determining, ...shared } = record;
  return {
    ...shared,
    effect: "allow",
    ...objectsIn(items)[place],
    id: idInBatch(String(record["id"]), place),
  };
}

function recordLines(record: JsonObject, { context }: CommandCall): readonly string[] {
  const { bold } = context.style;
  const { at, id, subject, action, resource, effect, policies } = summaryOf(record);
  const caller = isObject(record["caller"]) ? record["caller"] : {};
  const fields: readonly [string, unknown][] = [
    ["Decision", id],
    ["Time", at],
    ["Subject", subject],
    ["Operation", record["operation"] ?? undefined],
    ["Action", action],
    ["Resource", resource],
    ["Effect", effect],
    ["Decided by", policies.join(", ")],
    ["Entrance", record["entrance"]],
    ["Caller", [caller["name"], caller["peer"]].filter((one) => one !== undefined && one !== "").join(", ")],
    ["Request", record["request_id"]],
    ["Node", record["node"]],
    ["Revision", record["revision"]],
    ["Error", record["error"]],
  ];
  const shown = fields.filter(([, value]) => value !== undefined && value !== "");
  return [...shown.map(([name, value]) => `${name}: ${bold(safeText(String(value)))}`), ""];
}

function explanationLines(
  answer: JsonObject,
  { context }: CommandCall,
  place: number | undefined,
): readonly string[] {
  const all = Array.isArray(answer["explanations"]) ? answer["explanations"].filter(isObject) : [];
  const explanations = place === undefined ? all : all.slice(place, place + 1);
  if (all.length > 0 && explanations.length === 0) {
    return [`Only the first ${all.length} decisions of a batch are explained`, ""];
  }
  return explanations.flatMap((one) => [...explanationText(one, context.style), ...maskLines(one), ""]);
}

/** Names what keeps an explanation from saying all. */
function maskLines({ masked, masked_fields: fields, unexplained }: JsonObject): readonly string[] {
  if (unexplained === true) {
    return [
      "The policies of that time give another effect: something else decided, such as a limit or the rule that keeps mirrors read-only, or the record lacks a value",
    ];
  }
  if (masked === true) {
    return ["This decision cannot be explained: its user or permission is masked in the log"];
  }
  if (!Array.isArray(fields)) return [];
  const names = fields.map((name) => safeText(String(name))).join(", ");
  return [
    `The policies read condition fields that are masked in the log, so that the reasons may be others: ${names}`,
  ];
}
