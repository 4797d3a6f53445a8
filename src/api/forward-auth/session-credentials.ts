/** Session cookies of the data server as credentials (spec/sign-in §5, spec/security §2.11). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { cookieValues } from "../../http/request/cookie-values.ts";
import type { Identities, Identity, ShownSession } from "../../identity/identity.ts";
import { orNobody } from "../../identity/refusals.ts";
import { SESSION_COOKIES, type SessionCookieName } from "../../identity/session-cookies/sealed-cookie.ts";

/** Session cookies, not yet verified. */
export interface ShownSessions {
  readonly kind: "sessions";
  readonly sessions: readonly ShownSession[];
  /** False where it is not clear which cookie the data server reads. */
  readonly isClear: boolean;
  /** The value of our login cookie beside them. */
  readonly token?: string | undefined;
}

type Found = Identity | undefined | Promise<Identity | undefined>;

const NAMES = Object.keys(SESSION_COOKIES) as readonly SessionCookieName[];
/** A session wherever a lenient reader may find one. */
const ANYWHERE = /(?:^|[;,\s])(?:internal|oidc|saml)_auth_session\s*=/g;

/** True if a Cookie header has a session of the data server, whether it counts or not. */
export function hasSession(cookie: string): boolean {
  return cookie.search(ANYWHERE) >= 0;
}

/** The sessions of a Cookie header that has some; undefined where the only ones are of kinds that do not count. */
export function shownSessions(
  cookie: string,
  counting: ReadonlySet<SessionCookieName>,
): ShownSessions | undefined {
  const byName = NAMES.map((name) => ({ name, values: cookieValues(cookie, name) }));
  const sessions = byName.flatMap(({ name, values }) => values.map((value) => ({ name, value })));
  const isReadAlike = cookie.match(ANYWHERE)?.length === sessions.length;
  const counted = sessions.filter(({ name }) => counting.has(name));
  if (isReadAlike && counted.length === 0) return undefined;
  // Where a second session counts only for the data server, it is not clear as whom that acts.
  const isClear =
    isReadAlike && counted.length === sessions.length && byName.every(({ values }) => values.length < 2);
  return { kind: "sessions", sessions: counted, isClear };
}

/**
 * The user of session cookies: of all of them, and of the login cookie beside them. Nobody where one of the sessions does
 * not hold, since the data server may think otherwise. A login cookie that does not hold says nothing: the data server
 * does not read it.
 * @throws AuthorizerError "unauthenticated", at once or by rejection, for cookies of several users
 */
export function withSessions(identities: Identities, { sessions, isClear, token }: ShownSessions): Found {
  if (!isClear) return undefined;
  const found = sessions.map((session) => identities.withSession(session));
  const own = token === undefined ? undefined : byToken(identities, token);
  if (!found.some(isPromise) && !isPromise(own)) return theOne(found as (Identity | undefined)[], own);
  return Promise.all([own, ...found]).then(([ofToken, ...ofSessions]) => theOne(ofSessions, ofToken));
}

function theOne(
  sessions: readonly (Identity | undefined)[],
  own: Identity | undefined,
): Identity | undefined {
  const [first] = sessions;
  if (first === undefined || sessions.includes(undefined)) return undefined;
  if ([...sessions, own].some((one) => one !== undefined && one.userId !== first.userId)) {
    throw new AuthorizerError("unauthenticated", "cookies of more than one user");
  }
  return first;
}

function byToken(identities: Identities, token: string): Found {
  try {
    const identity = identities.withLoginToken(token);
    return isPromise(identity) ? identity.catch(orNobody) : identity;
  } catch (error) {
    return orNobody(error);
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}
