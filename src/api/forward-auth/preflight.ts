/** Recognises CORS preflights, which browsers send without a credential (Fetch Standard, section 4.8). */

import type { OriginalRequest } from "./proxies.ts";
import type { RequestHeaders } from "./request-headers.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** `null`, or a scheme, a host and perhaps a port. */
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[!-.0-~]{1,512})$/i;

/**
 * True for a request that can be nothing but a preflight: OPTIONS without a body, with one origin and one method that
 * is asked for, and without a credential in its headers. A signed query stays: a preflight has the target of the
 * request that follows.
 */
export function isPreflight({ method, contentLength }: OriginalRequest, headers: RequestHeaders): boolean {
  if (method !== "OPTIONS" || (contentLength ?? "0") !== "0") return false;
  if (headers.get("authorization") !== undefined || headers.get("cookie") !== undefined) return false;
  if (headers.get("transfer-encoding") !== undefined) return false;
  return (
    TOKEN.test(headers.single("access-control-request-method") ?? "") &&
    ORIGIN.test(headers.single("origin") ?? "")
  );
}
