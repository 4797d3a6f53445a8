/** The contract of this folder: users are invited by mail, and the link in the mail can be redeemed once. */

/** The person that is invited. */
export interface Invitee {
  /** Name that the user will have. */
  readonly username: string;
  /** The recipient, one address `local@domain`. It becomes the e-mail of the user. */
  readonly email: string;
}

/** An invitation whose mail is queued. */
export interface QueuedInvitation {
  /** Internal id that its user has to be created with. */
  readonly userId: string;
  /** Takes it back: for who could not create its user, whom somebody else may create. */
  withdraw(): Promise<void>;
}

/** An invitation whose link was opened. */
export interface RedeemedInvitation extends Invitee {
  /** Internal id of the user. */
  readonly userId: string;
  /** Of a reset: the beginning of the user's sessions when it was asked for. */
  readonly since?: string;
}

/**
 * The state of an invitation: `withdrawn` where its user was deleted or replaced, is inactive, has another address
 * or a newer password, or its sessions were ended, `unknown` also where its records are
 * no longer kept.
 */
export type InvitationState = "open" | "used" | "expired" | "withdrawn" | "unknown";

/** The purpose of a link: to accept an invitation, or to set a new password. */
export type LinkKind = "invitation" | "reset";

/** Invitations of one service. */
export interface Invitations {
  /**
   * Queues the mail that invites a user who does not exist yet. Resolves when the mail is as durable as the store. The
   * caller must create the user next, with the internal id of the answer, or withdraw the invitation: the mail is sent as soon as that user
   * exists with this name and e-mail, and is dropped after ten minutes without one, or where another user has the name. So every created user has a queued mail, and a crash in between leaves
   * neither.
   * @throws AuthorizerError "invalid_request" that names the configuration items to set if no mail can be sent, or the
   * problem of the name or e-mail; "already_exists" if the user exists; "unavailable"
   */
  invite(invitee: Invitee): Promise<QueuedInvitation>;
  /**
   * Queues the mail with a link that sets a new password, which holds for an hour. At most three in an hour for a user.
   * @returns false where the user has had as many
   * @throws AuthorizerError "invalid_request" as {@link invite}; "conflict" where somebody else asked at the same time
   */
  sendReset(user: RedeemedInvitation): Promise<boolean>;
  /**
   * Redeems the token of a link.
   * @param give gives the user of the link what it is for, by one write of the directory: the token is used up in the same
   * commit, or goes on holding
   * @throws AuthorizerError "not_found" if the token is unknown, used or expired, or if its user was deleted; the error
   * does not say which; what `give` throws
   */
  redeem<T>(token: string, kind: LinkKind, give: (user: RedeemedInvitation) => Promise<T>): Promise<T>;
  /** The state of the invitation of a token, for whoever has its link. Changes nothing. */
  state(token: string, kind?: LinkKind): Promise<InvitationState>;
  /** The user of a token that can be redeemed; undefined for any other. Changes nothing. */
  openFor(token: string, kind?: LinkKind): Promise<RedeemedInvitation | undefined>;
  /**
   * Begins to send queued mails, including those from before a restart. Sends nothing without a valid configuration.
   */
  start(): void;
  /** Stops sending. A mail that is being sent gets a few seconds; the others are sent after the next start. */
  close(): Promise<void>;
}
