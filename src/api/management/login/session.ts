/**
 * Log-in, log-out and the current user (spec/management-cli §1, spec/security §1.1, spec/security §4.4, spec/security
 * §6.1).
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { decodeJwt } from "jose/jwt/decode";
import type { Directory } from "../../../directory/directory.ts";
import type { Reply } from "../../../http/route.ts";
import { inOrder } from "../../../sign-in/in-order.ts";
import { NO_STORE_HEADER } from "../../rest/declared.ts";
import { MANAGEMENT_EXAMPLES } from "../../rest/examples.ts";
import { identityRefused } from "../../rest/identity-refused.ts";
import { BASE_PATH, json, NO_STORE } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { AuditedFields } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import type { OpenCall, UserCall } from "../call.ts";
import { bodyOf, type ManagementDeclaration, type ManagementParts } from "../declaration.ts";
import { notImplemented } from "../errors.ts";
import { userBody } from "../shapes.ts";
import { signInAddress } from "../sign-in/oidc-routes.ts";
import { SESSION, TOKEN_ANSWER } from "./declared.ts";
import { loggedIn } from "./password-login.ts";
import {
  AuthenticationFailed,
  endedSessionCookie,
  isSecure,
  loginCookie,
  proofOf,
  signedInCookies,
} from "./proof.ts";

/** An identity request, in base64. */
const MAX_IDENTITY_BYTES = 128 << 10;
const SET_COOKIE = {
  "Set-Cookie": { description: "The login cookie.", required: true, schema: { type: "string" } },
} as const;

/** The operations. */
export const SESSION_OPERATIONS: readonly ManagementDeclaration[] = [
  {
    ...SESSION,
    access: "open",
    method: "POST",
    reads: true,
    id: "login",
    path: `${BASE_PATH}/auth/login`,
    summary: "Get a login token for an access key, or for a user name and a password",
    description:
      "Where passwords are configured, a name and a password may stand in place of the key and its secret. The token is also set as cookie `access_token`: HttpOnly, SameSite=Strict, Secure under TLS.",
    body: bodyOf("LoginInformation", {
      access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
      secret_access_key: "example-secret-example-secret-example-00",
    }),
    answer: { ...TOKEN_ANSWER, headers: { ...NO_STORE_HEADER, ...SET_COOKIE } },
    errors: [401, 403, 429],
    handler: (parts) => (call) => login(call, parts),
  },
  {
    ...SESSION,
    access: "open",
    method: "GET",
    id: "getSignInWays",
    path: `${BASE_PATH}/auth/sign-in`,
    summary: "The ways in which people sign in",
    description: "In the order of the configuration. An access key is always a way, too.",
    answer: answerWith(200, "SignInWays", {
      ways: [{ name: "corp", title: "Example", location: "/oidc/login?issuer=corp" }],
      passwords: [{ name: "password", title: "Password" }],
      passwords_kept: true,
      order: ["corp", "password", "access_key"],
    }),
    handler:
      ({ signIn, passwordSignIn, ownPasswords, signInOrder }) =>
      async () => {
        const ways = (signIn?.ways ?? []).map((way) => {
          const { name, title } = way;
          return { name, title, location: signInAddress(way) };
        });
        const passwords = passwordSignIn?.ways ?? [];
        const names = [
          ...ways.map(({ name }) => name),
          ...(passwords.length > 0 ? ["password"] : []),
          "access_key",
        ];
        const order = inOrder(names, signInOrder, (name) => name);
        return json(200, { ways, passwords, passwords_kept: ownPasswords !== undefined, order });
      },
  },
  {
    ...SESSION,
    access: "user",
    method: "POST",
    id: "logout",
    path: `${BASE_PATH}/auth/logout`,
    summary: "End the login token of this call for good",
    description: "The token is refused from now on, and the login cookie is removed.",
    answer: { status: 204, description: "Done." },
    errors: [403],
    auditsUnknown: true,
    handler: (parts) => (call) => logout(call, parts),
  },
  {
    ...SESSION,
    access: "open",
    method: "POST",
    reads: true,
    id: "externalPrincipalLogin",
    path: `${BASE_PATH}/auth/external/principal/login`,
    summary: "Log in as an external principal",
    description:
      "For programs with an identity of AWS IAM, where `authorizer.aws_iam.enabled` is true, and with others, where `auth.authentication_api.external_principals_enabled` is: a login token for the user who has the role as external principal.",
    body: bodyOf("ExternalLoginInformation", {
      identityRequest: { identity_token: "eyJtZXRob2QiOiJQT1NUIn0=" },
    }),
    maxBytes: MAX_IDENTITY_BYTES,
    answer: { ...TOKEN_ANSWER, headers: NO_STORE_HEADER },
    errors: [403, 404, 501],
    handler: (parts) => (call) => externalLogin(call, parts),
  },
  {
    ...SESSION,
    access: "user",
    method: "GET",
    id: "getCurrentUser",
    path: `${BASE_PATH}/user`,
    summary: "Who the caller is",
    description: "The user of the access key or login token of this call.",
    answer: answerWith(200, "CurrentUser", { user: MANAGEMENT_EXAMPLES.User }),
    handler:
      ({ directory }) =>
      (call) =>
        currentUser(call, directory),
  },
];

/** The body of a log-in, after its shape was validated. */
interface LoginInformation {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly token_expiration_duration?: number | null;
}

async function login(call: OpenCall, parts: ManagementParts): Promise<Reply> {
  const { identities, audit } = parts;
  const {
    access_key_id: name,
    secret_access_key: secret,
    token_expiration_duration: seconds,
  } = call.body as LoginInformation;
  const { identity, fields } = await loggedIn(parts, {
    name,
    secret,
    source: call.caller.sourceIp,
    onAway: (of) => audit.event("authentication_failed", "", call, of),
    onUnknown: (of) => audit.event("login", "", call, of),
  });
  const origin = { how: fields.how, source: call.caller.sourceIp };
  const issued = await identities.issueLoginToken({ ...identity, origin }, seconds ?? undefined);
  audit.event("login", identity.username, call, fields);
  const cookies = signedInCookies(call.request, issued, parts);
  const { token, expiresAt } = issued;
  return json(200, { token, token_expiration: expiresAt }, [...NO_STORE, ...cookies]);
}

/** The body of a log-in with an identity of a cloud, after its shape was validated. */
interface ExternalLoginInformation {
  readonly identityRequest: unknown;
  readonly token_expiration_duration?: number | null;
}

async function externalLogin(
  call: OpenCall,
  { principals, directory, identities, audit }: ManagementParts,
): Promise<Reply> {
  if (principals === undefined) throw notImplemented();
  const { identityRequest, token_expiration_duration: seconds } = call.body as ExternalLoginInformation;
  const how = principals.wayOf(identityRequest);
  const failed = (fields: AuditedFields) =>
    audit.event("authentication_failed", "", call, { how, ...fields });
  const principal = await identityRefused(
    () => principals.principalOf(identityRequest, call.caller.sourceIp),
    (reason) => failed({ reason }),
  );
  const { username, userId } = await userOf(directory, principal, () =>
    failed({ reason: "absent", principal }),
  );
  const origin = { how, source: call.caller.sourceIp };
  const { token, expiresAt } = await identities.issueLoginToken(
    { username, userId, origin },
    seconds ?? undefined,
  );
  audit.event("login", username, call, { how, principal });
  return json(200, { token, token_expiration: expiresAt }, NO_STORE);
}

/** The user of an external principal; tells where there is none. */
async function userOf(
  { externalPrincipals }: Directory,
  principal: string,
  onAbsent: () => void,
): Promise<{ readonly username: string; readonly userId: string }> {
  const owner = await externalPrincipals.owner(principal);
  if (owner?.isInactive === false) return owner;
  onAbsent();
  throw new AuthorizerError("not_found", `external principal ${JSON.stringify(principal)} does not exist`);
}

/** Ends the login token that the call was made with, for good, and takes the cookie away. */
async function logout(
  call: UserCall,
  { identities, audit, proxies, cookieDomain: domain }: ManagementParts,
): Promise<Reply> {
  const proof = proofOf(call.request);
  const { identity } = call.caller;
  if (proof?.kind === "token") {
    await auditingUnknown(
      () => identities.logout(identity, expiryOf(proof.token)),
      (outcome) => audit.session("logout", identity, call, outcome),
    );
  }
  audit.session("logout", identity, call);
  const secure = isSecure(call.request, proxies);
  const cookies = loginCookie("", { secondsLeft: 0, domain, secure });
  return { status: 204, headers: [...cookies, ...endedSessionCookie(call.request)] };
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
