/** `POST /access/v1/who-can`: the users whom a check would allow, and why (spec/decision-api §3). */

import type { Decisions } from "../../../decisions/decisions.ts";
import type { AnyCall } from "../any-call.ts";
import { refuseQuery } from "../query.ts";
import { requestText } from "../search/page-tokens.ts";
import type { SearchServing } from "../search/search.ts";
import { type AskedPage, RequestedPage } from "../search/search-pages.ts";
import { recordSearch } from "../search/search-record.ts";
import { contextOf } from "./native-fields.ts";

interface WhoCanBody {
  readonly action: string;
  readonly resource: string;
  readonly context?: unknown;
  readonly explain?: boolean | null;
  readonly page?: AskedPage | null;
}

/** Builds the handler. */
export function whoCanHandler(decisions: Decisions, { tokens }: SearchServing) {
  return async (call: AnyCall): Promise<string> => {
    refuseQuery(call);
    const { page, context, explain, ...rest } = call.body as WhoCanBody;
    const text = requestText("who-can", { ...rest, context }, call.caller.name);
    const requested = new RequestedPage(tokens, page, text);
    const whole = { ...rest, context: contextOf(context), page: requested.page };
    const found = await decisions.searches.whoCan(whole, call.signal);
    const { action, resource } = rest;
    const users = found.results.map(({ user }) => ({ user, action, resource }));
    await recordSearch(decisions, call, "who_can", { action, context: whole.context }, users);
    const doubts = explain === true ? await decisions.doubts(rest) : [];
    return JSON.stringify({
      results: found.results,
      page: requested.answer(found),
      ...(doubts.length > 0 && { doubts }),
    });
  };
}
