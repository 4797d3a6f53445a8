/** `svcctl access unused`. */

import { safeText } from "../../safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { timeOf } from "../decisions/decision-filters.ts";
import { printPage } from "../output/page.ts";
import type { Column } from "../output/records.ts";
import { ANSWER_MS, printWarnings } from "./answers.ts";

const COLUMNS: readonly Column[] = [
  { heading: "Kind", name: "kind", fields: ["kind"] },
  { heading: "Name", name: "name", fields: ["name"] },
  { heading: "Detail", name: "detail", fields: ["detail"] },
  { heading: "Last Used", name: "last_used", fields: ["last_used"], kind: "date" },
];

/** Fetches and prints what was not used. */
export async function listUnused(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const api = openApi(context, ANSWER_MS);
  const since = timeOf(String(options["since"]), "since", Date.now());
  const answer = await api.fetchObject({
    method: "GET",
    path: ["auth", "access", "unused"],
    query: { since },
    expect: 200,
  });
  const results = rowsOf(answer);
  await printPage(call, { results, next: undefined, amount: results.length, answer }, { columns: COLUMNS });
  printWarnings(call, answer);
}

function rowsOf(answer: JsonObject): readonly JsonObject[] {
  const rows = (list: string, row: (one: JsonObject) => JsonObject): readonly JsonObject[] => {
    const found = answer[list];
    return Array.isArray(found) ? found.filter(isObject).map((one) => ({ ...one, ...row(one) })) : [];
  };
  return [
    ...rows("users", ({ id }) => ({ kind: "user", name: text(id), detail: "" })),
    ...rows("keys", ({ access_key_id, user }) => ({
      kind: "key",
      name: text(access_key_id),
      detail: `of ${text(user)}`,
    })),
    ...rows("groups", ({ id, members }) => ({
      kind: "group",
      name: text(id),
      detail: counted(members, "member"),
    })),
    ...rows("policies", ({ id, attached }) => ({
      kind: "policy",
      name: text(id),
      detail: counted(attached, "attachment"),
    })),
    ...rows("statements", (one) => ({ kind: "statement", name: text(one["policy"]), detail: placeOf(one) })),
    ...rows("actions", (one) => ({
      kind: "actions",
      name: text(one["policy"]),
      detail: `${placeOf(one)}: ${Array.isArray(one["unused"]) ? one["unused"].map(text).join(", ") : ""}`,
    })),
  ];
}

function placeOf({ statement, sid, effect }: JsonObject): string {
  const name = sid === undefined ? "" : ` (${text(sid)})`;
  return `${effect === "deny" ? "deny " : ""}${text(statement)}${name}`;
}

function counted(count: unknown, noun: string): string {
  return `${text(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function text(value: unknown): string {
  return safeText(String(value ?? ""));
}
