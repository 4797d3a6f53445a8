/**
 * Finds the credential of an end user (spec/security §2.6, spec/security §2.11): at most one kind, recognised in the same
 * way as in the data server.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { LRUCache } from "lru-cache";
import { cookieValues } from "../../http/request/cookie-values.ts";
import { LOGIN_COOKIE } from "../../identity/login-claims.ts";
import type { SessionCookieName } from "../../identity/session-cookies/sealed-cookie.ts";
import { isPerhapsSigned, SIGNING_PARAMETERS } from "../../request-map/which-api.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { hasSession, type ShownSessions, shownSessions } from "./session-credentials.ts";

/** Base64 as the data server takes it: what it cannot read, it passes over, and looks for another credential. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SIGNATURE_V4 = "AWS4-HMAC-SHA256";

/** A credential as it was shown, not yet verified. */
export type Shown =
  | { readonly kind: "nothing" }
  | { readonly kind: "access_key"; readonly accessKeyId: string; readonly secret: string }
  | { readonly kind: "login_token"; readonly token: string; readonly inCookie: boolean }
  | ShownSessions
  | { readonly kind: "signature" };

const NOTHING: Shown = { kind: "nothing" };
const SIGNATURE: Shown = { kind: "signature" };

/**
 * The one credential of a request.
 * @param query the raw query of the client
 * @param counting the session cookies of the data server that count
 * @throws AuthorizerError "unauthenticated" for several kinds, unknown schemes and malformed ones
 */
export function shownCredential(
  headers: RequestHeaders,
  query: string,
  counting: ReadonlySet<SessionCookieName>,
): Shown {
  if (headers.repeated.has("authorization")) throw refused("more than one Authorization header");
  const cookie = headers.get("cookie");
  const ofHeader = inHeader(headers.get("authorization"));
  const ofQuery = inQuery(query);
  // Nearly every request of a program shows its header and nothing else.
  if (ofHeader !== undefined && ofQuery === undefined && cookie === undefined) return ofHeader;
  const others = [ofHeader, ofQuery].filter((one) => one !== undefined);
  const token = inCookie(cookie);
  const withSession = cookie !== undefined && hasSession(cookie);
  if (others.length + (token === undefined && !withSession ? 0 : 1) > 1) throw severalKinds();
  const [other] = others;
  if (other !== undefined) return other;
  if (withSession) {
    const sessions = shownSessions(cookie, counting);
    // It is nobody to us, but the data server acts as its user.
    if (sessions === undefined && token !== undefined) throw severalKinds();
    return sessions === undefined ? NOTHING : { ...sessions, token };
  }
  return token === undefined ? NOTHING : { kind: "login_token", token, inCookie: true };
}

function severalKinds(): AuthorizerError {
  return refused("more than one kind of credential");
}

/** A cache of decoded headers, which programs repeat with each request. Other code verifies them. */
const DECODED = new LRUCache<string, Shown>({ max: 1_000 });
const LONGEST_DECODED = 512;

function inHeader(authorization: string | undefined): Shown | undefined {
  if (authorization === undefined) return undefined;
  // A signature is another in each request.
  if (authorization.startsWith(SIGNATURE_V4) && authorization[SIGNATURE_V4.length] === " ") return SIGNATURE;
  const known = DECODED.get(authorization);
  if (known !== undefined) return known;
  const shown = readHeader(authorization);
  if (shown.kind === "access_key" && authorization.length <= LONGEST_DECODED)
    DECODED.set(authorization, shown);
  return shown;
}

function readHeader(authorization: string): Shown {
  const blank = authorization.indexOf(" ");
  const scheme = blank < 0 ? authorization : authorization.slice(0, blank);
  const rest = blank < 0 ? "" : authorization.slice(blank + 1);
  if (scheme === SIGNATURE_V4) return SIGNATURE;
  switch (scheme.toLowerCase()) {
    case "basic":
      return accessKey(rest);
    case "bearer":
      if (rest === "" || rest.includes(" ")) throw refused("malformed bearer token");
      return { kind: "login_token", token: rest, inCookie: false };
    default:
      // Signature V2 ("AWS") and SigV4A ("AWS4-ECDSA-P256-SHA256") among them.
      throw refused("this kind of Authorization is not accepted");
  }
}

function accessKey(encoded: string): Shown {
  const bytes = Buffer.from(encoded, "base64");
  const text = bytes.toString("utf8");
  const colon = text.indexOf(":");
  const sound = BASE64.test(encoded) && colon > 0 && !text.includes("\ufffd");
  if (!sound) throw refused("malformed Basic credentials");
  return { kind: "access_key", accessKeyId: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** A second cookie of the name was set by somebody else, on another path or domain: neither is believed. */
function inCookie(cookie: string | undefined): string | undefined {
  if (cookie === undefined || !cookie.includes(LOGIN_COOKIE)) return undefined;
  const [token = "", second] = cookieValues(cookie, LOGIN_COOKIE);
  if (second !== undefined) throw refused("more than one login cookie");
  return token === "" ? undefined : token;
}

/** Recognises a presigned request by the decoded names in its query, as the data server does. */
function inQuery(query: string): Shown | undefined {
  if (!isPerhapsSigned(query)) return undefined;
  const pairs = new URLSearchParams(query);
  return SIGNING_PARAMETERS.some((name) => pairs.has(name)) ? SIGNATURE : undefined;
}

function refused(message: string): AuthorizerError {
  return new AuthorizerError("unauthenticated", message);
}
