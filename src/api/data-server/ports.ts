/** Ports of the data-server API; `compose` implements them. */

/** A user who is invited. */
interface InvitedUser {
  readonly username: string;
  /** The address that the invitation is sent to. */
  readonly email: string;
}

/** An invitation that waits for its user. */
export interface QueuedInvitation {
  /** Internal id that its user has to be created with. */
  readonly userId: string;
  /** Takes it back where its user is not created. */
  withdraw(): Promise<void>;
}

/** Port: sends invitations. */
export interface Invitations {
  /**
   * Queues an invitation durably for a user who is created right after: it leaves once that user is there, and is
   * dropped where it does not come.
   * @throws AuthorizerError "already_exists" for a user who exists, "invalid_request", "unavailable": no user is then
   *   created
   */
  invite(user: InvitedUser): Promise<QueuedInvitation>;
}
