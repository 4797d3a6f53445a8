/** Token exchange (RFC 8693): the token of an identity provider for a login token or an access key that expires. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Directory } from "../../../directory/directory.ts";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import type { Query } from "../../../http/request/query.ts";
import type { RawCall, Reply } from "../../../http/route.ts";
import type { Identities } from "../../../identity/identity.ts";
import type { OidcSubject, OidcTokens } from "../../../identity/oidc/oidc.ts";
import { usersOf, type WebUsers } from "../../../identity/oidc/web-users.ts";
import { claimsOf } from "../../../identity/token-parts.ts";
import type { AuditEvents, AuditedFields } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import { OAuthRefused, oauthReply } from "./oauth-answers.ts";

/** The grant. */
export const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const TYPE = "urn:ietf:params:oauth:token-type:";
const ACCESS_TOKEN = `${TYPE}access_token`;
/** Of this service: a temporary access key, as Basic credentials. */
const ACCESS_KEY = "urn:svc-authorizer:token-type:access_key";
const SUBJECT_TYPES: readonly string[] = [`${TYPE}jwt`, `${TYPE}id_token`, ACCESS_TOKEN];
/** Parameters that narrow what is given: to ignore them would give more than was asked for. */
const NARROWING = { scope: "invalid_scope", audience: "invalid_target", resource: "invalid_target" } as const;
const KNOWN: ReadonlySet<string> = new Set([
  "grant_type",
  "client_id",
  "subject_token",
  "subject_token_type",
  "requested_token_type",
]);

/** Tokens that are exchanged. */
export interface TokenExchange {
  readonly oidc: OidcTokens;
  readonly users: WebUsers;
  /** Seconds for which a program gets in, whatever the token that it showed. */
  readonly seconds: number;
}

/** Parts of the exchange. */
export interface ExchangeParts {
  readonly exchange: TokenExchange;
  readonly directory: Pick<Directory, "credentials" | "sessions">;
  readonly identities: Pick<Identities, "issueLoginToken" | "sessionTokenOf">;
  readonly proxies: TrustedProxies;
  readonly audit: AuditEvents;
}

/**
 * Exchanges a token.
 * @throws OAuthRefused
 */
export async function exchangeToken(parts: ExchangeParts, call: RawCall, form: Query): Promise<Reply> {
  for (const [name, code] of Object.entries(NARROWING)) {
    if (form.get(name) !== undefined) throw new OAuthRefused(code, `${name}: a narrower token is not issued`);
  }
  if (!form.hasOnly(KNOWN)) throw new OAuthRefused("invalid_request", "a parameter is not known here");
  const type = form.get("subject_token_type") ?? "";
  if (!SUBJECT_TYPES.includes(type))
    throw new OAuthRefused("invalid_request", `subject_token_type: expected ${SUBJECT_TYPES.join(" or ")}`);
  const wanted = form.get("requested_token_type") ?? ACCESS_TOKEN;
  if (wanted !== ACCESS_TOKEN && wanted !== ACCESS_KEY)
    throw new OAuthRefused(
      "invalid_request",
      `requested_token_type: expected ${ACCESS_TOKEN} or ${ACCESS_KEY}`,
    );
  const origin = {
    how: "token_exchange",
    request_id: call.requestId,
    source_ip: parts.proxies.clientOf(call.request) ?? "",
  };
  const token = form.get("subject_token") ?? "";
  const issuer = parts.exchange.oidc.claimedIssuer(token);
  let from: AuditedFields = issuer === undefined ? {} : { issuer };
  try {
    const subject = await verified(parts.exchange.oidc, token);
    from = { ...from, user: subject.username };
    const [user, userId] = await userOf(parts.exchange, subject, token);
    from = { ...from, user };
    const of = { ...origin, issuer: subject.issuer.name, actor: user };
    return wanted === ACCESS_KEY
      ? await keyReply(parts, { user, userId, of })
      : await tokenReply(parts, subject, { user, userId, of });
  } catch (error) {
    const reason = refusalReason(error);
    if (reason !== undefined) parts.audit.event("authentication_failed", { ...origin, ...from, reason });
    throw error;
  }
}

/** The reason that the audit log has of an error; undefined for one that says nothing about the program. */
function refusalReason(error: unknown): string | undefined {
  if (isErrorCode(error, "unavailable")) return "provider_away";
  return error instanceof OAuthRefused ? error.message : undefined;
}

/** A token of an issuer whose tokens anybody may have must say more than who made it. */
async function verified(oidc: OidcTokens, token: string): Promise<OidcSubject> {
  try {
    const subject = await oidc.verify(token);
    if (subject.issuer.requiredClaims.size > 0) return subject;
  } catch (error) {
    if (isErrorCode(error, "unauthenticated"))
      throw new OAuthRefused("invalid_grant", "subject_token does not hold here", error);
    throw error;
  }
  throw new OAuthRefused(
    "invalid_grant",
    "tokens of this issuer are not exchanged: it has no required_claims",
  );
}

async function userOf({ users }: TokenExchange, subject: OidcSubject, token: string) {
  const [user, second] = await usersOf(subject, claimsOf(token) ?? {}, users);
  if (user === undefined) throw denied();
  if (second === undefined) return user;
  throw new OAuthRefused(
    "invalid_grant",
    "subject_token stands for several users: authorizer.sts.users must name one",
  );
}

/** The same words whoever is missing or inactive: a token says nothing about other users of the directory. */
function denied(cause?: unknown): OAuthRefused {
  return new OAuthRefused("invalid_grant", "subject_token stands for no user who may sign in here", cause);
}

/** The user for whom something is given. */
interface Given {
  readonly user: string;
  /** Internal id of the user whom the token stands for; undefined: whoever has the name. */
  readonly userId: string | undefined;
  readonly of: Readonly<Record<string, string>>;
}

async function tokenReply(
  { exchange, directory, identities, audit }: ExchangeParts,
  { issuer }: OidcSubject,
  { user, userId, of }: Given,
): Promise<Reply> {
  const session = await known(() => directory.sessions.get(user));
  if (userId !== undefined && userId !== session.userId) throw denied();
  const origin = { how: "token_exchange", source: of["source_ip"] ?? "" };
  const asked = { username: user, userId: session.userId, issuer: issuer.name, origin };
  const { token, expiresAt } = await identities.issueLoginToken(asked, exchange.seconds);
  audit.event("login", of);
  return oauthReply({
    access_token: token,
    issued_token_type: ACCESS_TOKEN,
    token_type: "Bearer",
    expires_in: Math.max(0, Math.floor(expiresAt - Date.now() / 1_000)),
  });
}

async function keyReply(
  { exchange, directory, identities, audit }: ExchangeParts,
  { user, userId, of }: Given,
): Promise<Reply> {
  const key = await auditingUnknown(
    () => known(() => directory.credentials.createTemporary(user, exchange.seconds, userId)),
    (outcome) => audit.event("write", { ...of, operation: "exchangeToken", user, ...outcome }),
  );
  const { access_key_id, secret_access_key, creation_date, expires_at } = key;
  const after = { access_key_id, creation_date, expires_at };
  audit.event("write", { ...of, operation: "exchangeToken", user, after });
  audit.event("secret_read", { ...of, access_key_id });
  return oauthReply({
    access_token: Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64"),
    issued_token_type: ACCESS_KEY,
    token_type: "Basic",
    expires_in: exchange.seconds,
    access_key_id,
    secret_access_key,
    session_token: identities.sessionTokenOf(key),
  });
}

async function known<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (isErrorCode(error, "not_found")) throw denied(error);
    if (isErrorCode(error, "conflict")) throw new OAuthRefused("invalid_grant", error.message, error);
    throw error;
  }
}
