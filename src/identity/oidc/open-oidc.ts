/** Verifies tokens of identity providers (spec/security §7). */

import { hash } from "node:crypto";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { userNameProblem } from "@svc-authorizer/policy/model/names.ts";
import { parseBoolean } from "@svc-authorizer/policy/model/truth-values.ts";
import type { CryptoKey, JWTPayload, JWTVerifyOptions } from "jose";
import { JWKSMultipleMatchingKeys } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import { LRUCache } from "lru-cache";
import { claimsOf, headerOf } from "../token-parts.ts";
import { IssuerKeys, type KeyTimes } from "./issuer-keys.ts";
import type { OidcIssuer, OidcSubject, OidcTokens } from "./oidc.ts";

const MAX_TOKEN_LENGTH = 16_384;
const MAX_REMEMBERED = 1_000;
/** Longest time for which a verified token is not verified again: a key that the issuer withdraws ends with it. */
const REMEMBERED_MS = 60_000;
/** Types of tokens that say who somebody is; a token of another type was made for something else. */
const TYPES: ReadonlySet<string> = new Set(["jwt", "application/jwt", "at+jwt", "application/at+jwt"]);
/** Most keys that are tried for one token. */
const MOST_KEYS = 16;

interface Remembered {
  readonly subject: OidcSubject;
  /** Unix milliseconds at which the token is over. */
  readonly expires: number;
  /** Milliseconds of `performance.now()`: a clock that is set back must not lengthen it. */
  readonly until: number;
}

/** Options of {@link openOidc}. */
interface OidcOptions {
  readonly times?: KeyTimes;
}

/** Opens the verification of the tokens of issuers. */
export function openOidc(issuers: readonly OidcIssuer[], { times }: OidcOptions = {}): OidcTokens {
  const known = new Map(
    issuers
      // Without an audience no token is for anybody here: people only sign in with it.
      .filter(({ audience }) => audience.length > 0)
      .map((issuer) => [issuer.issuer, { issuer, keys: new IssuerKeys(issuer, times) }]),
  );
  const verified = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED });
  /** Tokens that are being verified, for all who wait: the elements of a batch show the same one. */
  const pending = new Map<string, Promise<OidcSubject>>();
  const issuerOf = (token: string) => {
    const iss = token.length > MAX_TOKEN_LENGTH ? undefined : claimedIssuer(token);
    return iss === undefined ? undefined : known.get(iss);
  };
  return {
    claimedIssuer: (token) => issuerOf(token)?.issuer.name,
    verify: (token) => {
      const from = issuerOf(token);
      if (from === undefined) throw refused();
      const digest = hash("sha256", token, "base64");
      const remembered = verified.get(digest);
      if (remembered !== undefined && isRemembered(remembered)) return remembered.subject;
      const known = pending.get(digest);
      if (known !== undefined) return known;
      const verifying = verifyNew(token, from.issuer, from.keys)
        .then(({ subject, expires }) => {
          verified.set(digest, { subject, expires, until: performance.now() + REMEMBERED_MS });
          return subject;
        })
        .finally(() => pending.delete(digest));
      pending.set(digest, verifying);
      return verifying;
    },
  };
}

function isRemembered({ expires, until }: Remembered): boolean {
  return Date.now() < expires && performance.now() < until;
}

function claimedIssuer(token: string): string | undefined {
  const { iss } = claimsOf(token) ?? {};
  return typeof iss === "string" ? iss : undefined;
}

async function verifyNew(
  token: string,
  issuer: OidcIssuer,
  keys: IssuerKeys,
): Promise<{ readonly subject: OidcSubject; readonly expires: number }> {
  try {
    const header = headerOf(token);
    if (header === undefined) throw refused();
    const { typ = "JWT" } = header;
    if (typeof typ !== "string" || !TYPES.has(typ.toLowerCase())) throw refused();
    await verifyWithAny(token, keys, {
      issuer: issuer.issuer,
      audience: [...issuer.audience],
      algorithms: [...issuer.algorithms],
      clockTolerance: issuer.clockTolerance / 1_000,
      requiredClaims: ["exp", "iat"],
    });
    // The same claims, read here: some issuers write names with escapes, such as `unit\u00e9`.
    const payload: JWTPayload = claimsOf(token) ?? {};
    const { exp = 0, iat = 0 } = payload;
    if (iat * 1_000 > Date.now() + issuer.clockTolerance) throw refused();
    if (!hasRequired(payload, issuer)) throw refused();
    return { subject: subjectOf(payload, issuer), expires: exp * 1_000 };
  } catch (error) {
    // Only a failure of the issuer is one to be tried again; whatever else is wrong, the token does not hold.
    if (error instanceof AuthorizerError) throw error;
    throw refused(error);
  }
}

/** A claim counts by its text, which is exact; a list or an object has none. */
function hasRequired(payload: JWTPayload, { requiredClaims }: OidcIssuer): boolean {
  return [...requiredClaims].every(([name, values]) => {
    const value = claim(payload, name);
    return value !== null && typeof value !== "object" && values.includes(String(value));
  });
}

/**
 * Verifies with the key that the token names, or with each where several may be meant: while keys are replaced, or
 * where an issuer publishes something broken beside its key, a token still holds by the key that signed it.
 */
export async function verifyWithAny(
  token: string,
  keys: IssuerKeys,
  options: JWTVerifyOptions,
): Promise<void> {
  try {
    await jwtVerify(token, keys.get, options);
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (++tried > MOST_KEYS) break;
      if (await isVerifiedBy(token, key, options)) return;
    }
    throw error;
  }
}

/** True if the token holds by this key, which may be a broken one. */
async function isVerifiedBy(token: string, key: CryptoKey, options: JWTVerifyOptions): Promise<boolean> {
  try {
    await jwtVerify(token, key, options);
    return true;
  } catch {
    return false;
  }
}

/**
 * The subject of verified claims.
 * @throws AuthorizerError "unauthenticated" where they name nobody
 */
export function subjectOf(payload: JWTPayload, issuer: OidcIssuer): OidcSubject {
  const username = claim(payload, issuer.usernameClaim);
  // Answers carry the name in a header, where a `%` would be ambiguous.
  if (typeof username !== "string" || userNameProblem(username, "strict") !== undefined) throw refused();
  // An address that nobody has verified may be anybody's.
  if (issuer.usernameClaim === "email" && !isTrue(payload["email_verified"])) throw refused();
  const groups = claim(payload, issuer.groupsClaim);
  return {
    how: "oidc_token",
    username,
    groups: typeof groups === "string" ? [groups] : groups,
    groupsAreElsewhere: groups === undefined && isElsewhere(payload, issuer.groupsClaim),
    issuer,
  };
}

/**
 * True if a token names another place for the groups: as a distributed claim, or by the `hasgroups` of Entra's implicit
 * flow. Both come for a user of many groups.
 */
function isElsewhere(payload: JWTPayload, name: string): boolean {
  const { _claim_names: names, hasgroups } = payload;
  if (typeof names === "object" && names !== null && Object.hasOwn(names, name)) return true;
  return name === "groups" && isTrue(hasgroups);
}

/** Some issuers write truth values as texts. */
function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && parseBoolean(value) === true);
}

/** The claim of a name, else that at the end of a path: `realm_access.roles`, `kubernetes.io.namespace`. */
export function claim(payload: JWTPayload, name: string): unknown {
  return memberOf(payload, name);
}

/** Names on the way may have dots: the longest that is there counts. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(members, name)) return members[name];
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const head = name.slice(0, dot);
    if (Object.hasOwn(members, head)) return memberOf(members[head], name.slice(dot + 1));
  }
  return undefined;
}

function refused(cause?: unknown): AuthorizerError {
  return new AuthorizerError("unauthenticated", "the token is not valid", { cause });
}
