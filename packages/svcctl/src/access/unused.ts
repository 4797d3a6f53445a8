/** `svcctl access unused`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { statementPlace } from "@svc-authorizer/policy/model/statement-words.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { fetchPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { timeOf } from "../decisions/decision-filters.ts";
import { objectsIn } from "../output/fields.ts";
import { printPage } from "../output/page.ts";
import type { Column, Row } from "../output/records.ts";
import { printWarnings } from "./answers.ts";

const COLUMNS: readonly Column[] = [
  { heading: "Kind", name: "kind", fields: ["kind"] },
  { heading: "Name", name: "name", fields: ["name"] },
  { heading: "Detail", name: "detail", fields: ["detail"] },
  { heading: "Last Used", name: "last_used", fields: ["last_used"], kind: "date" },
];

/** Fetches and prints what was not used. */
export async function listUnused(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const since = timeOf(String(options["since"]), "since", Date.now());
  const query = { since, kind: textOption(options, "kind") };
  const page = await fetchPage(openApi(context), call, ["auth", "access", "unused"], query);
  await printPage(call, page, { columns: COLUMNS, isOurs: true, rowsOf: (entry) => [rowOf(entry)] });
  printWarnings(call, page.answer);
}

function rowOf(entry: JsonObject): Row {
  const { kind } = entry;
  const row = (name: unknown, detail: string): Row => {
    return { kind: text(kind), name: text(name), detail, last_used: entry["last_used"] };
  };
  if (kind === "key") return row(entry["access_key_id"], `of ${text(entry["user"])}`);
  if (kind === "group") return row(entry["id"], counted(entry["members"], "member"));
  if (kind === "policy")
    return row(entry["id"], counted(entry["attached"], "attachment") + acceptedIn(entry));
  if (kind === "statement") return row(entry["policy"], placeOf(entry) + acceptedIn(entry));
  if (kind === "actions") {
    const unused = Array.isArray(entry["unused"]) ? entry["unused"].map(text).join(", ") : "";
    return row(entry["policy"], `${placeOf(entry)}: ${unused}${acceptedIn(entry)}`);
  }
  return row(entry["id"], "");
}

function placeOf({ statement, sid, effect }: JsonObject): string {
  const place = statementPlace(Number(statement), sid === undefined ? undefined : text(sid));
  return `${effect === "deny" ? "deny " : ""}${place}`;
}

/** `; accepts idle-action: Read once a year.` */
function acceptedIn({ accept }: JsonObject): string {
  const words = objectsIn(accept).map(({ rule, reason }) => `${text(rule)}: ${text(reason)}`);
  return words.length === 0 ? "" : `; accepts ${words.join(", ")}`;
}

function counted(count: unknown, noun: string): string {
  return `${text(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function text(value: unknown): string {
  return safeText(String(value ?? ""));
}
