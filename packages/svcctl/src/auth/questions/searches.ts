/** `svcctl auth who-can` and `svcctl auth what-can`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { type ApiClient, type JsonObject, openApi } from "../../api/api-client.ts";
import { namedOrCurrentUser } from "../../api/current-user.ts";
import { isObject, type Page } from "../../api/pages.ts";
import type { CommandCall } from "../../command.ts";
import { contextFields } from "../../context-fields.ts";
import { warnOfDoubts } from "../../doubtful-question.ts";
import { given } from "../../given.ts";
import { textField } from "../../output/fields.ts";
import { printPage } from "../../output/page.ts";
import type { Column } from "../../output/records.ts";

/** Results of one page with `--all`: the most that servers give. */
const LARGEST_PAGE = 1_000;

const WHO_COLUMNS: readonly Column[] = [
  { heading: "User", name: "user", fields: ["user"] },
  { heading: "Policy", name: "policy", fields: ["policy"] },
  { heading: "Statement", name: "statement", fields: ["statement"] },
  { heading: "Sid", name: "sid", fields: ["sid"] },
  { heading: "Through", name: "via", fields: [] },
];
const WHAT_COLUMNS: readonly Column[] = [{ heading: "Action", name: "action", fields: ["action"] }];

export async function whoCan(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const fields = contextFields(options["context"]);
  const api = openApi(context);
  const asked = { action: given(call, "action"), resource: given(call, "resource") };
  await warnOfDoubts(context, asked, api);
  const question = { ...asked, ...(fields !== undefined && { context: fields }) };
  const page = await fetchResults(api, call, "who-can", question);
  const rowsOf = (entry: JsonObject) => [{ ...entry, via: waysOf(entry["via"]) }];
  await printPage(call, page, { columns: WHO_COLUMNS, rowsOf, isOurs: true });
}

/** `group Readers`, or `user` for a policy that is attached to the user itself. */
function waysOf(via: unknown): readonly string[] {
  const ways: readonly unknown[] = Array.isArray(via) ? via : [];
  return ways.filter(isObject).map((way) => ("group" in way ? `group ${textField(way, "group")}` : "user"));
}

export async function whatCan(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const fields = contextFields(options["context"]);
  const api = openApi(context);
  const user = await namedOrCurrentUser(api, call, "user");
  await warnOfDoubts(context, { resource: given(call, "resource") }, api);
  const question = {
    user,
    resource: given(call, "resource"),
    ...(fields !== undefined && { context: fields }),
  };
  const page = await fetchResults(api, call, "what-can", question);
  if (page.answer["reason"] === "unknown_user") context.err("warning: there is no such user\n");
  await printPage(call, page, { columns: WHAT_COLUMNS, isOurs: true });
}

/** The results that the paging options ask for; a text becomes an object with the field `action`. */
async function fetchResults(
  api: ApiClient,
  { options }: CommandCall,
  name: "who-can" | "what-can",
  question: object,
): Promise<Page> {
  const all = options["all"] === true;
  const amount = all ? LARGEST_PAGE : Number(options["amount"]);
  const results: JsonObject[] = [];
  const raw: unknown[] = [];
  let token = textOption(options, "after");
  for (;;) {
    const page = { limit: amount, ...(token !== undefined && { token }) };
    const body = { ...question, page };
    const answer = await api.fetchObject({ method: "POST", path: ["auth", name], body, expect: 200 });
    const found = answer["results"];
    if (!Array.isArray(found)) throw new Error("Bad response from server");
    raw.push(...found);
    for (const one of found) {
      if (typeof one === "string") results.push({ action: one });
      else if (isObject(one)) results.push(one);
    }
    const next = isObject(answer["page"]) ? textField(answer["page"], "next_token") : "";
    if (!all || next === "") {
      return { results, next: next === "" ? undefined : next, amount, answer: { ...answer, results: raw } };
    }
    if (next === token) throw new Error("Bad response from server: the same page again");
    token = next;
  }
}
