/** What the authorization API needs from others; `compose` provides it. */

/** Who is invited. */
export interface InvitedUser {
  readonly username: string;
  /** Where the invitation goes. */
  readonly email: string;
}

/** Port: sends invitations. */
export interface Invitations {
  /**
   * Queues an invitation durably for a user who is created right after: it leaves once there is such a user, and is
   * dropped where none comes.
   * @throws AuthorizerError "already_exists" for a user who exists, "invalid_request", "unavailable": no user is then
   *   created
   */
  invite(user: InvitedUser): Promise<void>;
}

/** Port: the log of this API. */
export interface AuthorizationLog {
  /** Something valid that is almost certainly a mistake. Fields hold no secrets. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}
