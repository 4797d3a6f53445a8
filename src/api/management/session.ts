/** Log-in, log-out and who one is (management-cli.md §1; security.md §1.1, security.md §4.4, security.md §6.1). */

import { decodeJwt } from "jose";
import type { Directory } from "../../directory/directory.ts";
import { AuthorizerError, isErrorCode } from "../../errors.ts";
import type { TrustedProxies } from "../../http/client-address.ts";
import type { Reply } from "../../http/route.ts";
import type { Identities } from "../../identity/identity.ts";
import { BodyFields } from "../rest/body-fields.ts";
import { json, NO_STORE } from "../rest/operation.ts";
import { notImplemented } from "./errors.ts";
import type { ManagementAudit } from "./management-audit.ts";
import type { ManagementOperation, OpenCall, UserCall } from "./operation.ts";
import { AuthenticationFailed, authenticate, isSecure, loginCookie, proofOf } from "./proof.ts";
import { userBody } from "./shapes.ts";

/** What sessions need. */
export interface SessionParts {
  readonly directory: Directory;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  /** `auth.cookie_domain`. */
  readonly cookieDomain: string;
  readonly audit: ManagementAudit;
}

/** The operations. */
export function sessionOperations(parts: SessionParts): readonly ManagementOperation[] {
  return [
    {
      id: "login",
      method: "POST",
      path: "/auth/login",
      access: "open",
      takesBody: true,
      handle: (call) => login(call, parts),
    },
    {
      id: "logout",
      method: "POST",
      path: "/auth/logout",
      access: "user",
      takesBody: false,
      handle: (call) => logout(call, parts),
    },
    {
      id: "externalPrincipalLogin",
      method: "POST",
      path: "/auth/external/principal/login",
      access: "open",
      takesBody: false,
      // Needs an authentication service that proves principals, which this one is not.
      handle: () => Promise.reject(notImplemented()),
    },
    {
      id: "getCurrentUser",
      method: "GET",
      path: "/user",
      access: "user",
      takesBody: false,
      handle: (call) => currentUser(call, parts.directory),
    },
  ];
}

async function login(
  call: OpenCall,
  { identities, audit, proxies, cookieDomain: domain }: SessionParts,
): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const accessKeyId = fields.text("access_key_id");
  const secret = fields.text("secret_access_key");
  const seconds = fields.optionalNumber("token_expiration_duration");
  fields.finish();
  const identity = await authenticate(
    identities,
    { kind: "access_key", accessKeyId, secret },
    call.caller.sourceIp,
  );
  const { token, expiresAt } = await identities.issueLoginToken(identity, seconds);
  audit.session("login", identity, call);
  const secondsLeft = expiresAt - Date.now() / 1000;
  const cookie = loginCookie(token, { secondsLeft, domain, secure: isSecure(call.request, proxies) });
  return json(200, { token, token_expiration: expiresAt }, [...NO_STORE, ...cookie]);
}

/** Ends the login token that the call was made with, for good, and takes the cookie away. */
async function logout(
  call: UserCall,
  { identities, audit, proxies, cookieDomain: domain }: SessionParts,
): Promise<Reply> {
  const proof = proofOf(call.request);
  if (proof?.kind === "token") await identities.logout(call.caller.identity, expiryOf(proof.token));
  audit.session("logout", call.caller.identity, call);
  const secure = isSecure(call.request, proxies);
  return { status: 204, headers: loginCookie("", { secondsLeft: 0, domain, secure }) };
}

/** The token has been verified. */
function expiryOf(token: string): number {
  const { exp } = decodeJwt(token);
  if (exp === undefined) throw new AuthorizerError("internal", "a verified login token without expiry");
  return exp;
}

async function currentUser({ caller: { identity } }: UserCall, { users }: Directory): Promise<Reply> {
  try {
    const user = await users.get(identity.username);
    return json(200, { user: userBody({ ...user, friendly_name: user.friendly_name ?? user.username }) });
  } catch (error) {
    // Deleted a moment ago, while the proof was still remembered.
    if (isErrorCode(error, "not_found")) throw new AuthenticationFailed();
    throw error;
  }
}
