/**
 * The layout of mails in the store. Every record is a JSON object; times are Unix milliseconds.
 *
 * | partition       | key                          | record                    |
 * |-----------------|------------------------------|---------------------------|
 * | `outbox`        | `<16 digits: when due>/<id>` | {@link MailRecord}        |
 * | `outbox_failed` | `<id>`                       | {@link FailedMailRecord}  |
 * | `invitation`    | `<SHA-256 of the token>`     | {@link InvitationRecord}  |
 * | `invitation`    | `resets/<user id>`           | {@link ResetsRecord}      |
 *
 * A mail moves to a later key with each attempt, so the first key of `outbox` is always the next due mail.
 */

import type { Invitee, LinkKind } from "./invitations.ts";

/** A mail to be sent. */
export interface MailRecord extends Invitee {
  /** Absent: an invitation. */
  readonly kind?: LinkKind;
  readonly id: string;
  /** The token of the link, sealed; the text around it is written when the mail is sent. */
  readonly secret: string;
  /** SHA-256 of the token: key of the invitation. */
  readonly invitation: string;
  /** The same for every attempt, so that mail servers recognise a repeated mail. */
  readonly message_id: string;
  readonly queued_at: number;
  readonly expires_at: number;
  /** Number of started attempts. */
  readonly attempts: number;
  readonly first_attempt_at?: number;
  /** The process that has claimed it for its newest attempt. */
  readonly holder?: string;
}

/** A mail that was given up, without its secret. */
export interface FailedMailRecord extends Invitee {
  readonly message_id: string;
  readonly queued_at: number;
  readonly failed_at: number;
  readonly attempts: number;
  readonly reason: string;
}

/** An invitation. It is kept for some time after it was redeemed or has expired, so that its link can say so. */
export interface InvitationRecord extends Invitee {
  /** Absent: an invitation. */
  readonly kind?: LinkKind;
  /** Of a reset: a password that was set later takes it back. */
  readonly queued_at?: number;
  /** Of a reset: the beginning of the user's sessions when it was asked for; their end takes it back. */
  readonly since?: string;
  readonly expires_at: number;
  /** Internal id of the user. Absent in a record of an earlier version until the first attempt to send. */
  readonly user_id?: string;
  /** Set when it was redeemed: it cannot be redeemed again. */
  readonly redeemed_at?: number;
}

/** The mails for new passwords that a user got lately. */
export interface ResetsRecord {
  readonly times: readonly number[];
  readonly expires_at: number;
}

/** Key of a mail that is due at a time. */
export function outboxKey(dueAt: number, id: string): string {
  return `${String(Math.ceil(dueAt)).padStart(16, "0")}/${id}`;
}

/** The time at which the mail of a key is due. */
export function dueOf(key: string): number {
  return Number(key.slice(0, key.indexOf("/")));
}
