/** The login tokens that were issued to a user, so that an administrator can see them and end one (spec/security §4.4). */

/** Most of them that are kept for a user: the oldest are forgotten first, and end with all sessions. */
export const MOST_SESSIONS = 100;

/** A login token that was issued, without the token. */
export interface IssuedSession {
  /** `jti` of the token. In the order of time. */
  readonly id: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  /** Unix seconds. */
  readonly expiresAt: number;
  /** Way by which the user signed in, as the audit log has it. */
  readonly how?: string;
  /** Name of the identity provider that vouched. */
  readonly issuer?: string;
  readonly accessKeyId?: string;
  /** Address of whoever signed in. */
  readonly source?: string;
}

/** A token with its owner and the beginning of the user's sessions at which it was issued. */
export interface NotedSession extends IssuedSession {
  readonly userId: string;
  readonly username: string;
  readonly since: string;
}

/** Use cases on single sessions. */
export interface IssuedSessions {
  /** An id for a token. */
  newId(): string;
  /** Remembers tokens until they expire; those of users who are gone are left out. */
  note(sessions: readonly NotedSession[]): Promise<void>;
  /** Those of a user that hold, in the order of their issue. "not_found" for an unknown user. */
  list(
    username: string,
    page: { readonly prefix?: string; readonly after?: string; readonly amount: number },
  ): Promise<{ readonly results: readonly IssuedSession[]; readonly next_offset: string }>;
  /** Ends one of a user for good; "not_found" where the list does not have it. */
  end(username: string, id: string): Promise<IssuedSession>;
  /**
   * Ends a token, whether it was noted or not; nothing happens to one that is over.
   * @param expiresAt Unix seconds
   */
  endToken(
    token: { readonly userId: string; readonly username: string; readonly id: string },
    expiresAt: number,
  ): Promise<void>;
}
