/** Issues, verifies and revokes login tokens (spec/security §1.1, spec/security §2.11, spec/security §4.4). */

import { hash } from "node:crypto";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { JWTPayload } from "jose";
import { JOSEError } from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import { DependentCache, type Touched } from "../cache/dependent-cache.ts";
import type { Directory, Session } from "../directory/directory.ts";
import type { Identities, Identity, IssuedToken } from "./identity.ts";
import { IssuedNotes } from "./issued-notes.ts";
import {
  LOGIN_AUDIENCE,
  type LoginClaims,
  OUR_CLAIM,
  type OurClaims,
  readLoginClaims,
} from "./login-claims.ts";
import { refused } from "./refusals.ts";
import { headerOf } from "./token-parts.ts";

const ALGORITHM = "HS256";
const MAX_TOKEN_LENGTH = 4096;

/** Options of {@link LoginTokens}. */
interface LoginTokensOptions {
  readonly directory: Pick<Directory, "sessions" | "issuedSessions">;
  readonly cache: CacheSettings;
  /** Told how many sessions no list will show. */
  readonly onLostSessions: (sessions: number) => void;
  /** `auth.encrypt.secret_key`, which signs, then `authorizer.previous_secret_key`. */
  readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  /** `auth.login_duration`, seconds. */
  readonly seconds: number;
  /** `auth.login_max_duration`, seconds. */
  readonly maxSeconds: number;
  readonly counters: Identities["counters"];
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface VerifiedToken {
  /** Internal id of the user, never reused. */
  readonly userId: string;
  readonly identity: Identity;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Issues and verifies login tokens. */
export class LoginTokens {
  readonly #options: LoginTokensOptions;
  readonly #notes: IssuedNotes;
  /** By the SHA-256 of the token. The token itself is never stored. */
  readonly #verified: DependentCache<VerifiedToken>;

  constructor(options: LoginTokensOptions) {
    this.#options = options;
    this.#notes = new IssuedNotes(options.directory.issuedSessions, options.onLostSessions);
    this.#verified = new DependentCache<VerifiedToken>({
      settings: options.cache,
      filedUnder: ({ userId }) => [userId],
      now: options.now,
    });
  }

  /** Verifies a token; synchronous if the result is cached. */
  verify(token: string): Identity | Promise<Identity> {
    const { counters, now } = this.#options;
    if (token.length > MAX_TOKEN_LENGTH) throw refused("login token");
    const digest = hash("sha256", token, "base64");
    const known = this.#verified.get(digest);
    if (known !== undefined) {
      if (known.expires <= now()) throw refused("login token");
      counters.cacheHits++;
      return known.identity;
    }
    counters.cacheMisses++;
    return this.#verified.load(digest, () => this.#verifyNew(token)).then(identityOf);
  }

  /** Issues a token to an authenticated user; see `Identities.issueLoginToken`. */
  async issue(
    {
      username,
      userId,
      accessKeyId,
      issuer,
      expiresAt: end,
      since,
      origin,
    }: Parameters<Identities["issueLoginToken"]>[0],
    wanted?: number,
  ): Promise<IssuedToken> {
    const { now, keys } = this.#options;
    const lifetime = this.#lifetime(wanted);
    const session = await this.#session(username, accessKeyId === undefined ? {} : { accessKeyId });
    if (session?.userId !== userId || !session.holdsKey) throw refused("credentials");
    if (since !== undefined && since !== session.since) throw refused("credentials");
    const iat = Math.floor(now() / 1_000);
    // No token outlives the key or the token that it was issued for.
    const expiresAt = Math.min(
      iat + lifetime,
      ...[session.keyExpiresAt, end].filter((at) => at !== undefined),
    );
    if (expiresAt <= iat) throw refused("credentials");
    const ours: OurClaims = {
      user_id: userId,
      revision: session.revision,
      since: session.since,
      ...(accessKeyId !== undefined && { access_key_id: accessKeyId }),
      ...(issuer !== undefined && { issuer }),
    };
    const id = this.#options.directory.issuedSessions.newId();
    const token = await new SignJWT({ [OUR_CLAIM]: ours })
      .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
      .setAudience(LOGIN_AUDIENCE)
      .setSubject(username)
      .setJti(id)
      .setIssuedAt(iat)
      .setExpirationTime(expiresAt)
      .sign(keys[0]);
    this.#notes.add({
      id,
      userId,
      username,
      since: session.since,
      issuedAt: iat,
      expiresAt,
      ...origin,
      ...(issuer !== undefined && { issuer }),
      ...(accessKeyId !== undefined && { accessKeyId }),
    });
    return { token, expiresAt };
  }

  /** Resolves when every token that was issued is noted, or lost. */
  close(): Promise<void> {
    return this.#notes.done();
  }

  /** Revokes a token, on this node at once. */
  async end({ tokenId: id, userId, username, expiresAt = 0 }: Identity, until: number): Promise<void> {
    if (id === undefined) {
      throw new AuthorizerError("invalid_request", "only who came with a login token can end it");
    }
    try {
      const { issuedSessions } = this.#options.directory;
      await issuedSessions.endToken({ id, userId, username }, Math.max(until, expiresAt));
    } finally {
      this.#verified.evict({ ids: [userId], all: false });
    }
  }

  /** Evicts the tokens of users whom a committed write touched. */
  evict(touched: Touched): void {
    this.#verified.evict(touched);
  }

  /** The validity of a new token in seconds. */
  #lifetime(wanted: number | undefined): number {
    const { seconds, maxSeconds } = this.#options;
    if (wanted === undefined) return Math.min(seconds, maxSeconds);
    if (Number.isInteger(wanted) && wanted >= 1 && wanted <= maxSeconds) return wanted;
    const message = `expected a whole number of seconds from 1 to ${maxSeconds} (auth.login_max_duration)`;
    throw new AuthorizerError("invalid_request", message, {
      problems: [{ pointer: "/token_expiration_duration", message }],
    });
  }

  async #verifyNew(token: string): Promise<VerifiedToken> {
    const { now, maxSeconds } = this.#options;
    const payload = await this.#payloadOf(token);
    const claims = payload && readLoginClaims(payload, { maxSeconds, now: now() });
    if (claims === undefined) throw refused("login token");
    const tokenId = claims.tokenId ?? digestOf(token);
    const accessKeyId = claims.ours?.access_key_id;
    const of = { tokenId, ...(accessKeyId !== undefined && { accessKeyId }) };
    const session = await this.#session(claims.username, of);
    if (session === undefined || !holds(claims, session)) throw refused("login token");
    const { userId } = session;
    const { username, expiresAt, expires } = claims;
    const issuer = claims.ours?.issuer;
    const vouched = issuer === undefined ? {} : { issuer };
    const identity: Identity = Object.freeze({
      username,
      userId,
      how: "login_token",
      ...of,
      ...vouched,
      expiresAt,
      since: session.since,
    });
    return { userId, identity, expires };
  }

  async #payloadOf(token: string): Promise<JWTPayload | undefined> {
    const currentDate = new Date(this.#options.now());
    for (const key of this.#options.keys) {
      const payload = await verifiedPayload(token, key, currentDate);
      if (payload !== undefined) return payload;
    }
    return undefined;
  }

  /** The state that the user's sessions depend on, or undefined if there is no such user. */
  async #session(
    username: string,
    of: { readonly accessKeyId?: string; readonly tokenId?: string },
  ): Promise<Session | undefined> {
    try {
      return await this.#options.directory.sessions.get(username, of);
    } catch (error) {
      if (isErrorCode(error, "not_found")) return undefined;
      throw error;
    }
  }
}

function identityOf(verified: VerifiedToken | undefined): Identity {
  if (verified === undefined) throw refused("login token");
  return verified.identity;
}

/**
 * True if a token is still valid. Where the directory went back to an earlier state, numbers of revisions mean nothing, so
 * that the beginning of sessions is compared for equality. A token of a data server has no internal id, and its time of issue is in seconds: it
 * is refused in the same second as the mark, since it may be older.
 */
function holds({ issuedAt, ours }: LoginClaims, session: Session): boolean {
  if (session.isTokenClaimed || !session.holdsKey) return false;
  if (ours !== undefined) return ours.user_id === session.userId && isOfSession(ours, session);
  return issuedAt >= session.creation_date && issuedAt * 1_000 > session.validAfter;
}

function isOfSession({ since, revision }: OurClaims, session: Session): boolean {
  if (since !== undefined) return since === session.since;
  return session.validFrom !== undefined && revision >= session.validFrom;
}

async function verifiedPayload(
  token: string,
  key: Uint8Array,
  currentDate: Date,
): Promise<JWTPayload | undefined> {
  try {
    const header = headerOf(token);
    if (header === undefined || Object.hasOwn(header, "crit")) return undefined;
    return (await jwtVerify(token, key, { algorithms: [ALGORITHM], currentDate })).payload;
  } catch (error) {
    if (error instanceof JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** An id for a token without one: a digest of the signed part, because a signature has several spellings. */
function digestOf(token: string): string {
  return `sha256:${hash("sha256", token.slice(0, token.lastIndexOf(".")), "base64url")}`;
}
