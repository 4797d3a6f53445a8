/**
 * The required claims of a login token (spec/security §1.1, spec/security §4.4). Service tokens are signed with the same
 * key, so every claim that distinguishes the two is required. Login tokens of a data server lack only our own claims
 * and are accepted.
 */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";

/** The audience of a login token: this text, not a list. */
export const LOGIN_AUDIENCE = "login";

/** Name of the cookie that holds a login token, the same as that of the data server's API (spec/security §2.11). */
export const LOGIN_COOKIE = "access_token";

/** Our claims are below one name, so they cannot collide with others. */
export const OUR_CLAIM = "svc-authorizer";

/** Tolerance for tokens that seem to be issued in the future, since clocks of nodes differ. */
const MAX_CLOCK_AHEAD_SECONDS = 60;

/** Our claims: the exact user, and the beginning of the user's sessions at which the token was issued. */
export interface OurClaims {
  /** Internal id, never reused. */
  readonly user_id: string;
  readonly access_key_id?: string;
  /** Revision of the state in which the user was authenticated (spec/journal §5); nodes of version 0.2 read it. */
  readonly revision: number;
  /** The beginning of the user's sessions in that state; absent in tokens of version 0.2. */
  readonly since?: string;
  /** Name of the issuer of the sign-in, absent where no identity provider vouched. */
  readonly issuer?: string;
}

/** The verified claims of a login token. */
export interface LoginClaims {
  readonly username: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  /** Unix seconds, whole. */
  readonly expiresAt: number;
  /** Unix milliseconds: from then on it does not hold. */
  readonly expires: number;
  /** `jti`, if there is one. */
  readonly tokenId: string | undefined;
  /** Absent in login tokens of a data server. */
  readonly ours: OurClaims | undefined;
}

/** Input of the verification of claims. */
interface ClaimRules {
  /** `auth.login_max_duration`, seconds. */
  readonly maxSeconds: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * The claims of a payload with a valid signature, or undefined if it is no login token, has expired, or lives too long.
 */
export function readLoginClaims(
  payload: Readonly<Record<string, unknown>>,
  { maxSeconds, now }: ClaimRules,
): LoginClaims | undefined {
  const { aud, sub, iat, exp, jti } = payload;
  if (aud !== LOGIN_AUDIENCE) return undefined;
  if (typeof sub !== "string" || !isPossibleName(sub)) return undefined;
  if (!isDate(iat) || !isDate(exp)) return undefined;
  if (exp * 1_000 <= now || exp <= iat || exp - iat > maxSeconds) return undefined;
  if (iat > now / 1_000 + MAX_CLOCK_AHEAD_SECONDS) return undefined;
  if (jti !== undefined && !isName(jti)) return undefined;
  const given = payload[OUR_CLAIM];
  const ours = given === undefined ? undefined : readOurs(given);
  if (given !== undefined && ours === undefined) return undefined;
  const [expiresAt, expires] = [Math.ceil(exp), exp * 1_000];
  return { username: sub, issuedAt: iat, expiresAt, expires, tokenId: jti, ours };
}

function readOurs(given: unknown): OurClaims | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { user_id, access_key_id, revision, since, issuer } = given as Readonly<Record<string, unknown>>;
  if (!isName(user_id)) return undefined;
  if (access_key_id !== undefined && !isName(access_key_id)) return undefined;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 0) return undefined;
  if (since !== undefined && typeof since !== "string") return undefined;
  if (issuer !== undefined && !isName(issuer)) return undefined;
  return {
    user_id,
    revision,
    ...(since !== undefined && { since }),
    ...(access_key_id !== undefined && { access_key_id }),
    ...(issuer !== undefined && { issuer }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && isPossibleName(value);
}

function isDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
