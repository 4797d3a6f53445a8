/** Users of a data server's sessions that hold claims: found by their external id, never made (spec/sign-in §5). */

import { hash } from "node:crypto";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { type CacheSettings, DependentCache, type Touched } from "../../cache/dependent-cache.ts";
import type { Directory } from "../../directory/directory.ts";
import type { Identity } from "../identity.ts";
import type { OpenedSession, SessionCookieName } from "./sealed-cookie.ts";

/** Conditions on the claims of a session. */
export interface ClaimRules {
  /** The claim with the external id; undefined: no session of this kind counts. */
  readonly externalIdClaim: string | undefined;
  /** Claims that have to have exactly these values. */
  readonly required: ReadonlyMap<string, string>;
}

/** Options of {@link SessionUsers}. */
export interface SessionUsersOptions {
  readonly directory: Pick<Directory, "sessions" | "users">;
  readonly cache: CacheSettings;
  /** `auth.login_max_duration`, seconds: the age at which a session ends. */
  readonly maxSeconds: number;
  /** By the cookie's name; a cookie without rules does not count. */
  readonly rules: ReadonlyMap<SessionCookieName, ClaimRules>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface KnownUser {
  readonly identity: Identity;
  readonly userId: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Tolerance for sessions that seem to be made in the future, since clocks differ. */
const MAX_CLOCK_AHEAD_SECONDS = 60;

/** True for a session that is neither too old nor from the future. */
export function isOfAge(issuedAt: number, maxSeconds: number, now: number): boolean {
  const seconds = now / 1_000;
  return issuedAt + maxSeconds > seconds && issuedAt <= seconds + MAX_CLOCK_AHEAD_SECONDS;
}

/** Finds the users of sessions. */
export class SessionUsers {
  readonly #options: SessionUsersOptions;
  /** By the SHA-256 of name and value. */
  readonly #known: DependentCache<KnownUser>;

  constructor(options: SessionUsersOptions) {
    this.#options = options;
    this.#known = new DependentCache<KnownUser>({
      settings: options.cache,
      filedUnder: ({ userId }) => [userId],
      now: options.now,
    });
  }

  /** The user of a session whose seal was verified; synchronous if it is known, undefined if there is none. */
  find(
    name: SessionCookieName,
    text: string,
    session: OpenedSession,
  ): Identity | undefined | Promise<Identity | undefined> {
    const digest = hash("sha256", `${name}\n${text}`, "base64url");
    const { now, maxSeconds } = this.#options;
    const known = this.#known.get(digest);
    if (known !== undefined) return known.expires > now() ? known.identity : undefined;
    const externalId = this.#externalId(name, session);
    if (externalId === undefined) return undefined;
    const { issuedAt } = session;
    const found = this.#known.load(digest, () => this.#load(externalId, `session:${digest}`, issuedAt));
    return found.then((one) => (isOfAge(issuedAt, maxSeconds, now()) ? one?.identity : undefined));
  }

  /** Evicts the sessions of users whom a committed write touched. */
  evict(touched: Touched): void {
    this.#known.evict(touched);
  }

  #externalId(name: SessionCookieName, { value, issuedAt }: OpenedSession): string | undefined {
    const { rules, maxSeconds, now } = this.#options;
    const rule = rules.get(name);
    if (rule?.externalIdClaim === undefined || value.key === "token") return undefined;
    if (!isOfAge(issuedAt, maxSeconds, now())) return undefined;
    for (const [claim, wanted] of rule.required) if (value.claims.get(claim) !== wanted) return undefined;
    const externalId = value.claims.get(rule.externalIdClaim);
    return externalId !== undefined && isPossibleName(externalId) ? externalId : undefined;
  }

  async #load(externalId: string, tokenId: string, issuedAt: number): Promise<KnownUser | undefined> {
    const { directory, maxSeconds } = this.#options;
    const username = await this.#username(externalId);
    if (username === undefined) return undefined;
    const session = await sessionOf(directory, username, tokenId);
    // The name may have become another user's between the two.
    if (session === undefined || (await this.#username(externalId)) !== username) return undefined;
    const isOlder = issuedAt < session.creation_date || issuedAt * 1_000 <= session.validAfter;
    if (isOlder || session.isTokenClaimed) return undefined;
    const { userId } = session;
    const expiresAt = issuedAt + maxSeconds;
    const identity: Identity = Object.freeze({ username, userId, how: "session_cookie", tokenId, expiresAt });
    return { identity, userId, expires: expiresAt * 1_000 };
  }

  async #username(externalId: string): Promise<string | undefined> {
    const { results } = await this.#options.directory.users.list({ amount: 1 }, { external_id: externalId });
    return results[0]?.username;
  }
}

async function sessionOf({ sessions }: Pick<Directory, "sessions">, username: string, tokenId: string) {
  try {
    return await sessions.get(username, { tokenId });
  } catch (error) {
    if (isErrorCode(error, "not_found")) return undefined;
    throw error;
  }
}
