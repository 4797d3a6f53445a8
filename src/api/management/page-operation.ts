/** Parts of all pages that need no application: their description in the OpenAPI document, and who may send their forms. */

import type { TrustedProxies } from "../../http/request/client-address.ts";
import { ANONYMOUS, type Api } from "../../http/route.ts";
import { NO_STORE_HEADER } from "../rest/declared.ts";
import { refuseCrossSite } from "./login/cross-site.ts";
import { isSecure } from "./login/proof.ts";

const PAGE = { type: "text/html", schema: { type: "string" } } as const;

/** The answer with a page. */
export const PAGE_ANSWER = {
  ...PAGE,
  status: 200,
  description: "The page.",
  headers: NO_STORE_HEADER,
} as const;

/** The page of a failure. */
export function pageFailure(description: string) {
  return { description, headers: NO_STORE_HEADER, content: { [PAGE.type]: { schema: PAGE.schema } } };
}

/** Failures of every page. */
export const PAGE_FAILURES = { default: pageFailure("A page that says what went wrong.") } as const;

/** Knows the origins of this service. */
interface Origins {
  readonly proxies: TrustedProxies;
  readonly publicOrigins: ReadonlySet<string>;
}

/**
 * Takes anybody's calls, but no forms of other sites.
 * @param withCookie true where the login cookie says who sends the form, or where the form sets one
 */
export function ofThisSite({ proxies, publicOrigins }: Origins, withCookie: boolean): Api["authenticate"] {
  return ({ request }) => {
    refuseCrossSite(request, { withCookie, secure: isSecure(request, proxies), publicOrigins });
    return ANONYMOUS;
  };
}
