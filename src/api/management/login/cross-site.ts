/** Writes that another site makes in a browser's name are refused (spec/security §6.1). */

import type { IncomingMessage } from "node:http";
import { RequestRefused } from "../../../http/errors.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const OTHER_SITES: ReadonlySet<string> = new Set(["cross-site", "same-site"]);

/** The facts by which a request is judged. */
interface SiteRules {
  /** True where the browser added what authenticates the request by itself. */
  readonly withCookie: boolean;
  /** True where the client speaks TLS. */
  readonly secure: boolean;
  /** Origins under which this listener is known, besides the request's own host. */
  readonly publicOrigins: ReadonlySet<string>;
}

/** True where the browser says that a page of another host made the request, also of one that is below the same domain. */
export function isFromOtherHost({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  return typeof site === "string" && OTHER_SITES.has(site);
}

/**
 * Throws 403 for a write with a cookie that does not show that a page of this service made it, and for any write that
 * the browser says another site made: browsers also add Basic credentials by themselves.
 */
export function refuseCrossSite(request: IncomingMessage, rules: SiteRules): void {
  if (SAFE_METHODS.has(request.method ?? "")) return;
  const site = request.headers["sec-fetch-site"];
  if (site === "same-origin" || isOwnOrigin(request, rules)) return;
  if (rules.withCookie) {
    throw refused(
      "a write with a login cookie needs Sec-Fetch-Site: same-origin, or the Origin of this service",
    );
  }
  if (isFromOtherHost(request)) throw refused("writes from other sites are refused");
}

function isOwnOrigin({ headers }: IncomingMessage, { secure, publicOrigins }: SiteRules): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return (
    publicOrigins.has(origin) || (host !== undefined && origin === `${secure ? "https" : "http"}://${host}`)
  );
}

function refused(message: string): RequestRefused {
  return new RequestRefused(403, message, [], "not_allowed");
}
