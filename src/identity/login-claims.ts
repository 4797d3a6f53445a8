/**
 * What a login token must say (security.md §1.1, security.md §4.4). Service tokens are signed with the same key, so
 * everything that tells the two apart is checked here and nothing is optional; a data server's own login tokens have
 * the same claims but ours, and are taken.
 */

import { isPossibleName } from "../model/names.ts";

/** Who a login token is for: this text alone, no list. */
export const LOGIN_AUDIENCE = "login";

/** Name of the cookie that holds a login token, the same as that of the data server's API (security.md §2.11). */
export const LOGIN_COOKIE = "access_token";

/** Our claims stand below one name, so that they meet nobody else's. */
export const OUR_CLAIM = "svc-authorizer";

/** How far in the future a token may seem to be issued: clocks of nodes differ. */
const MAX_CLOCK_AHEAD_SECONDS = 60;

/** Our claims: who exactly the token is for, and when it was issued, finer than `iat`. */
export interface OurClaims {
  /** Internal id, never reused. */
  readonly user_id: string;
  readonly access_key_id?: string;
  /** Unix milliseconds. */
  readonly issued_at_ms: number;
}

/** The claims of a login token, checked. */
export interface LoginClaims {
  readonly username: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  /** Unix seconds, whole. */
  readonly expiresAt: number;
  /** `jti`, where there is one. */
  readonly tokenId: string | undefined;
  /** Absent in login tokens of a data server. */
  readonly ours: OurClaims | undefined;
}

/** By what claims are judged. */
export interface ClaimRules {
  /** `auth.login_max_duration`, seconds. */
  readonly maxSeconds: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The claims of a verified payload, or undefined where it is no login token, has expired, or lives too long. */
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
  const ours = given === undefined ? undefined : readOurs(given, iat);
  if (given !== undefined && ours === undefined) return undefined;
  return { username: sub, issuedAt: iat, expiresAt: Math.ceil(exp), tokenId: jti, ours };
}

function readOurs(given: unknown, issuedAt: number): OurClaims | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { user_id, access_key_id, issued_at_ms } = given as Readonly<Record<string, unknown>>;
  if (!isName(user_id)) return undefined;
  if (access_key_id !== undefined && !isName(access_key_id)) return undefined;
  if (!isDate(issued_at_ms) || Math.floor(issued_at_ms / 1_000) !== issuedAt) return undefined;
  return { user_id, issued_at_ms, ...(access_key_id !== undefined && { access_key_id }) };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && isPossibleName(value);
}

function isDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
