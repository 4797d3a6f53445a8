/** `POST /access/v1/search/subject|resource|action`: the searches of AuthZEN (spec/decision-api §2). */

import type { Assertion } from "@svc-authorizer/policy/model/decision.ts";
import { withoutToken } from "../../../decisions/check/evaluation-fields.ts";
import type { Found, ResourceSearch, SearchPage } from "../../../decisions/searches.ts";
import type { ServiceCall } from "../../service-caller.ts";
import { type PageTokens, requestText } from "./page-tokens.ts";
import { type Entities, entitiesOf, type SearchKind } from "./search-entities.ts";
import { type AskedPage, RequestedPage } from "./search-pages.ts";

/** Parts with which a search is served. */
export interface SearchServing {
  readonly tokens: PageTokens;
}

/**
 * Builds the handler of one search.
 * @param find answers it
 * @param record leaves it in the decision log
 */
export function searchHandler<S extends { readonly page: SearchPage }>(
  kind: SearchKind,
  find: (search: S, signal: AbortSignal | undefined) => Promise<Found<unknown>>,
  { tokens }: SearchServing,
  record?: (
    search: S,
    results: readonly never[],
    call: ServiceCall,
    asserted: Assertion | undefined,
  ) => Promise<void> | undefined,
) {
  return async (call: ServiceCall): Promise<string> => {
    const body = call.body as Readonly<Record<string, unknown>>;
    const entities = entitiesOf<S>(kind, body);
    const text = requestText(`search/${kind}`, withoutTokens(entities), call.caller.name);
    const requested = new RequestedPage(tokens, body["page"] as AskedPage | null | undefined, text);
    const search = { ...withPage(entities, requested.page), asserter: call.caller };
    const found = await find(search, call.signal);
    await record?.(search, found.results as readonly never[], call, found.asserted);
    // The page comes first, so that a reader of a long answer knows how much is to come.
    return JSON.stringify({ page: requested.answer(found), results: found.results });
  };
}

/** The entities for a page token: a page may be asked for with a newer token of the same subject. */
function withoutTokens<S extends { readonly page: SearchPage }>(entities: Entities<S>): unknown {
  const { subject } = entities as unknown as Pick<ResourceSearch, "subject">;
  const properties = withoutToken(subject.properties);
  return properties === subject.properties ? entities : { ...entities, subject: { ...subject, properties } };
}

function withPage<S extends { readonly page: SearchPage }>(entities: Entities<S>, page: SearchPage): S {
  return { ...entities, page } as unknown as S;
}
