/** Authentication by the session cookies of a data server (spec/sign-in §5). */

import type { Identity } from "../identity.ts";
import { orNobody } from "../refusals.ts";
import { openSession, type SessionCookieName } from "./sealed-cookie.ts";
import { isOfAge, SessionUsers, type SessionUsersOptions } from "./session-users.ts";

/** Options of {@link SessionCookies}. */
interface SessionCookiesOptions extends SessionUsersOptions {
  /** Keys of seals: `auth.encrypt.secret_key`, then `authorizer.previous_secret_key`. */
  readonly keys: readonly Uint8Array[];
  /** Verifies a login token; throws "unauthenticated". */
  readonly withLoginToken: (token: string) => Identity | Promise<Identity>;
}

/** Verifies session cookies. */
export class SessionCookies {
  readonly #options: SessionCookiesOptions;
  readonly users: SessionUsers;

  constructor(options: SessionCookiesOptions) {
    this.#options = options;
    this.users = new SessionUsers(options);
  }

  /**
   * The user of a session cookie; undefined where it is none of ours, too old, or of nobody.
   * @throws AuthorizerError "unavailable" where the store cannot tell
   */
  identify(name: SessionCookieName, text: string): Identity | undefined | Promise<Identity | undefined> {
    const { keys, maxSeconds, now } = this.#options;
    const session = openSession(name, text, keys);
    if (session === undefined || !isOfAge(session.issuedAt, maxSeconds, now())) return undefined;
    return session.value.key === "token"
      ? this.#byToken(session.value.token)
      : this.users.find(name, text, session);
  }

  #byToken(token: string): Identity | undefined | Promise<Identity | undefined> {
    try {
      const identity = this.#options.withLoginToken(token);
      return identity instanceof Promise ? identity.catch(orNobody) : identity;
    } catch (error) {
      return orNobody(error);
    }
  }
}
