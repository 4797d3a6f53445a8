/** Proofs of callers of the user listener: an access key, or a login token. */

import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { stringifySetCookie } from "cookie";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import { cookieValues } from "../../../http/request/cookie-values.ts";
import { hasRepeatedAuthorization } from "../../../http/request/request-headers.ts";
import type { Identities, Identity, IssuedToken } from "../../../identity/identity.ts";
import { LOGIN_COOKIE } from "../../../identity/login-claims.ts";
import type { AuditedFields } from "../../rest/ports.ts";

/** A proof that a caller shows. */
export type Proof =
  | { readonly kind: "access_key"; readonly accessKeyId: string; readonly secret: string }
  | { readonly kind: "token"; readonly token: string; readonly fromCookie: boolean };

/** The data server's, which a sign-in with an identity provider sets. */
const SESSION_COOKIE = "internal_auth_session";
/** Text of a failed authentication in the reference: it never says what was wrong. */
const FAILED = "error authenticating request";
/** The form of generated key ids, and no form of a secret: what somebody mistyped stays out of the audit log. */
const KEY_ID = /^A[KS][A-Z0-9|]{18}$/;
const BEARER = /^bearer +(\S+)$/i;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Nobody proved to be a user. */
export class AuthenticationFailed extends AuthorizerError {
  /** The key that was claimed, for the audit log. */
  readonly accessKeyId: string | undefined;
  /** Further fields for the audit log, without anything that somebody typed. */
  readonly fields: AuditedFields;

  constructor(claimed?: string, cause?: unknown, fields: AuditedFields = {}, text = FAILED) {
    const { retryAfterSeconds } = cause instanceof AuthorizerError ? cause : {};
    super("unauthenticated", text, {
      cause,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
    this.fields = fields;
    this.accessKeyId = claimed !== undefined && KEY_ID.test(claimed) ? claimed : undefined;
  }
}

/**
 * Returns the proof that a request shows; undefined where it shows nothing. An Authorization header goes before the
 * cookie.
 * @throws AuthenticationFailed for a header that is none of ours, and where it is not clear which one counts
 */
export function proofOf(request: IncomingMessage): Proof | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return cookieProof(request.headers.cookie);
  if (hasRepeatedAuthorization(request.rawHeaders)) throw new AuthenticationFailed();
  const token = BEARER.exec(authorization)?.[1];
  if (token !== undefined) return { kind: "token", token, fromCookie: false };
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) throw new AuthenticationFailed();
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw new AuthenticationFailed();
  return { kind: "access_key", accessKeyId: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** A second cookie of the name was set by somebody else, on another path or domain: neither is believed. */
function cookieProof(header: string | undefined): Proof | undefined {
  const values = (header ?? "").split(";").flatMap((pair) => {
    const mark = pair.indexOf("=");
    return mark >= 0 && pair.slice(0, mark).trim() === LOGIN_COOKIE ? [pair.slice(mark + 1).trim()] : [];
  });
  const [token] = values;
  if (token === undefined || token === "") return undefined;
  if (values.length > 1) throw new AuthenticationFailed();
  return { kind: "token", token, fromCookie: true };
}

/**
 * The user of a proof.
 * @param source address of the client, for counting failures
 * @throws AuthenticationFailed; "unavailable" where the store cannot tell
 */
export async function authenticate(identities: Identities, proof: Proof, source: string): Promise<Identity> {
  try {
    if (proof.kind === "token") return await identities.withLoginToken(proof.token);
    const identity = await identities.withAccessKey(proof.accessKeyId, proof.secret, source);
    if (identity.isOfService === true) throw new AuthenticationFailed(proof.accessKeyId);
    return identity;
  } catch (error) {
    if (!(error instanceof AuthorizerError) || error.code !== "unauthenticated") throw error;
    if (proof.kind === "token") throw new AuthenticationFailed(undefined, error, { how: "login_token" });
    throw new AuthenticationFailed(proof.accessKeyId, error, { how: proof.kind });
  }
}

/** True where the client speaks TLS, with us or with a trusted proxy before us. */
export function isSecure(request: IncomingMessage, proxies: TrustedProxies): boolean {
  const socket = request.socket as Partial<TLSSocket>;
  if (socket.encrypted === true) return true;
  const scheme = request.headers["x-forwarded-proto"];
  return scheme === "https" && proxies.has(socket.remoteAddress ?? "");
}

/** The header that sets the login cookie, or with an empty token removes it (spec/security §6.1). */
export function loginCookie(
  token: string,
  { secondsLeft, domain, secure }: { secondsLeft: number; domain: string; secure: boolean },
): readonly string[] {
  const cookie = stringifySetCookie({
    name: LOGIN_COOKIE,
    value: token,
    httpOnly: true,
    sameSite: "strict",
    path: "/",
    maxAge: Math.max(0, Math.floor(secondsLeft)),
    secure,
    ...(domain === "" ? {} : { domain }),
  });
  return ["Set-Cookie", cookie];
}

/**
 * The header that removes the data server's session cookie of a browser that has one; none for others. After a sign-out it
 * holds a token that does not hold, and after another sign-in one of another session, perhaps of another user.
 */
export function endedSessionCookie({ headers }: IncomingMessage): readonly string[] {
  const isThere = cookieValues(headers.cookie ?? "", SESSION_COOKIE).length > 0;
  return isThere ? ["Set-Cookie", `${SESSION_COOKIE}=; Max-Age=0; Path=/`] : [];
}

/** Headers that sign a browser in, also out of the data server's session of whoever was signed in before. */
export function signedInCookies(
  request: IncomingMessage,
  { token, expiresAt }: IssuedToken,
  { proxies, cookieDomain: domain }: { readonly proxies: TrustedProxies; readonly cookieDomain: string },
): readonly string[] {
  const secondsLeft = expiresAt - Date.now() / 1_000;
  const cookie = loginCookie(token, { secondsLeft, domain, secure: isSecure(request, proxies) });
  return [...cookie, ...endedSessionCookie(request)];
}
