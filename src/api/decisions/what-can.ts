/** `POST /access/v1/what-can`: which actions a check would allow a user on a resource (decision-api.md §3). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { ServiceCall } from "../service-caller.ts";
import { FieldReader } from "./native-fields.ts";
import { requestText } from "./page-tokens.ts";
import { refuseQuery } from "./query.ts";
import type { SearchServing } from "./search.ts";
import { RequestedPage, readNativePage } from "./search-pages.ts";
import { recordSearch } from "./search-record.ts";

const FIELDS: ReadonlySet<string> = new Set(["user", "resource", "context", "page"]);

/** Builds the handler. */
export function whatCanHandler(decisions: Decisions, { tokens, limits }: SearchServing) {
  return async (call: ServiceCall): Promise<string> => {
    const { body } = call;
    refuseQuery(call);
    const reader = new FieldReader();
    const fields = reader.object({ value: body, pointer: "" }, FIELDS);
    if (fields.size === 0) reader.finish();
    const question = {
      user: reader.text(fields.get("user"), "/user"),
      resource: reader.text(fields.get("resource"), "/resource", limits.arnBytes),
      context: reader.context(fields.get("context")),
    };
    const asked = readNativePage(reader, fields.get("page"));
    reader.finish();
    const bound = { ...question, context: fields.get("context")?.value };
    const requested = new RequestedPage(tokens, asked, requestText("what-can", bound, call.caller.name));
    const whole = { ...question, page: requested.page };
    const { reason, ...found } = await decisions.searches.whatCan(whole, call.signal);
    const { user, resource } = question;
    const actions = found.results.map((action) => ({ user, action, resource }));
    await recordSearch(decisions, call, "what_can", { user }, actions);
    const answer = { results: found.results, page: requested.answer(found) };
    return JSON.stringify(reason === undefined ? answer : { ...answer, reason });
  };
}
