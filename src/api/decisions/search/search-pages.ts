/**
 * Pages of searches on the wire: what a request asks for, and what an answer says (spec/decision-api §2,
 * spec/decision-api §3).
 */

import type { Found, SearchPage } from "../../../decisions/searches.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { PageTokens } from "./page-tokens.ts";

const DEFAULT_LIMIT = 100;
/** Most results of a page; a higher limit means this one. */
const MOST_RESULTS = 1_000;

/** A page as a request asks for it, after its body was checked; null counts as absent. */
export interface AskedPage {
  readonly limit?: number | null;
  readonly token?: string | null;
}

/** One search request: which page it asks for, and the token of the page after it. */
export class RequestedPage {
  readonly #tokens: PageTokens;
  readonly #request: string;
  /** As asked for in the first request. */
  readonly #limit: number;
  readonly #isFirst: boolean;
  readonly page: SearchPage;

  /**
   * Throws "invalid_request" for a token that does not belong to the request, or another limit than the token's.
   * @param request what tokens are bound to, as `requestText` gives it
   */
  constructor(tokens: PageTokens, asked: AskedPage | null | undefined, request: string) {
    const limit = asked?.limit ?? undefined;
    const token = asked?.token ?? undefined;
    const state = token === undefined ? undefined : tokens.open(token, request);
    if (token !== undefined && state === undefined) {
      const message = "is not the token of the page before, or the request is another by now";
      throw invalidRequest([{ pointer: "/page/token", message }]);
    }
    if (state !== undefined && limit !== undefined && limit !== state.limit) {
      const message = `must stay ${state.limit} or be left out while there is a token`;
      throw invalidRequest([{ pointer: "/page/limit", message }]);
    }
    this.#tokens = tokens;
    this.#request = request;
    this.#limit = state?.limit ?? limit ?? DEFAULT_LIMIT;
    this.#isFirst = state === undefined;
    const size = Math.min(this.#limit, MOST_RESULTS);
    this.page = state === undefined ? { limit: size } : { limit: size, after: state.after };
  }

  /** The `page` of the answer. */
  answer({ results, next, total }: Found<unknown>) {
    const complete = this.#isFirst && next === undefined ? results.length : undefined;
    const known = total ?? complete;
    return {
      next_token:
        next === undefined ? "" : this.#tokens.seal({ limit: this.#limit, after: next }, this.#request),
      count: results.length,
      ...(known === undefined ? {} : { total: known }),
    };
  }
}
