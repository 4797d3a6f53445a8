/** The contract of this room: users are invited by mail, and the link in the mail is redeemed once. */

/** Who is invited. */
export interface Invitee {
  /** Name that the user will have. */
  readonly username: string;
  /** Where the mail goes: one address, `local@domain`; the e-mail that the user will have. */
  readonly email: string;
}

/** An invitation whose link was opened. */
export interface RedeemedInvitation extends Invitee {
  /** Internal id of the user. */
  readonly userId: string;
}

/** Invitations of one service. */
export interface Invitations {
  /**
   * Queues the mail that invites a user who does not exist yet; resolves when it is as durable as the store. The
   * caller creates the user next: the mail leaves once there is a user of this name with this e-mail, and is dropped
   * when there is none within ten minutes. So whoever was created has a queued mail, and a crash in between leaves
   * neither.
   * @throws AuthorizerError "invalid_request" naming the configuration items that are to be set where no mail can be
   * sent, or what is wrong with name or e-mail; "already_exists" for a user who exists; "unavailable"
   */
  invite(invitee: Invitee): Promise<void>;
  /**
   * Uses up the token of a link.
   * @throws AuthorizerError "not_found" for a token that is unknown, was used, has expired, or whose user is gone;
   * which of these is not told
   */
  redeem(token: string): Promise<RedeemedInvitation>;
  /** Begins to send what is queued, also from before a restart. Without a usable configuration nothing is sent. */
  start(): void;
  /** Ends the sending: a mail under way gets a few seconds, what is left is sent after the next start. */
  close(): Promise<void>;
}
