/** `POST /access/v1/who-can`: which users a check would allow, and why (decision-api.md §3). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { ServiceCall } from "../service-caller.ts";
import { FieldReader } from "./native-fields.ts";
import { requestText } from "./page-tokens.ts";
import { refuseQuery } from "./query.ts";
import type { SearchServing } from "./search.ts";
import { RequestedPage, readNativePage } from "./search-pages.ts";
import { recordSearch } from "./search-record.ts";

const FIELDS: ReadonlySet<string> = new Set(["action", "resource", "context", "page"]);

/** Builds the handler. */
export function whoCanHandler(decisions: Decisions, { tokens, limits }: SearchServing) {
  return async (call: ServiceCall): Promise<string> => {
    const { body } = call;
    refuseQuery(call);
    const reader = new FieldReader();
    const fields = reader.object({ value: body, pointer: "" }, FIELDS);
    if (fields.size === 0) reader.finish();
    const question = {
      action: reader.text(fields.get("action"), "/action", limits.actionBytes),
      resource: reader.text(fields.get("resource"), "/resource", limits.arnBytes),
      context: reader.context(fields.get("context")),
    };
    const asked = readNativePage(reader, fields.get("page"));
    reader.finish();
    const bound = { ...question, context: fields.get("context")?.value };
    const requested = new RequestedPage(tokens, asked, requestText("who-can", bound, call.caller.name));
    const found = await decisions.searches.whoCan({ ...question, page: requested.page }, call.signal);
    const { action, resource } = question;
    const users = found.results.map(({ user }) => ({ user, action, resource }));
    await recordSearch(decisions, call, "who_can", { action }, users);
    return JSON.stringify({ results: found.results, page: requested.answer(found) });
  };
}
