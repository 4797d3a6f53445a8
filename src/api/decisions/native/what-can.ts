/** `POST /access/v1/what-can`: the actions that a check would allow a user on a resource (spec/decision-api §3). */

import type { Decisions } from "../../../decisions/decisions.ts";
import type { AnyCall } from "../any-call.ts";
import { refuseQuery } from "../query.ts";
import { requestText } from "../search/page-tokens.ts";
import type { SearchServing } from "../search/search.ts";
import { type AskedPage, RequestedPage } from "../search/search-pages.ts";
import { recordSearch } from "../search/search-record.ts";
import { contextOf } from "./native-fields.ts";

interface WhatCanBody {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly token?: string;
  readonly resource: string;
  readonly context?: unknown;
  readonly page?: AskedPage | null;
}

/** Builds the handler. */
export function whatCanHandler(decisions: Decisions, { tokens }: SearchServing) {
  return async (call: AnyCall): Promise<string> => {
    refuseQuery(call);
    const { page, context, ...rest } = call.body as WhatCanBody;
    // A page may be asked for with a newer token of the same subject.
    const text = requestText("what-can", { ...rest, token: undefined, context }, call.caller.name);
    const requested = new RequestedPage(tokens, page, text);
    const whole = { ...rest, context: contextOf(context), page: requested.page, asserter: call.caller };
    const { reason, asserted, ...found } = await decisions.searches.whatCan(whole, call.signal);
    const { user, resource } = rest;
    const actions = found.results.map((action) => ({ user, action, resource }));
    await recordSearch(decisions, call, "what_can", { user, context: whole.context, asserted }, actions);
    const answer = { results: found.results, page: requested.answer(found) };
    return JSON.stringify(reason === undefined ? answer : { ...answer, reason });
  };
}
