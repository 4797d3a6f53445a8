/** What this room needs of its neighbours. */

import type { Directory } from "../directory/directory.ts";
import type { Invitee } from "./invitations.ts";

/** Where the users are found that mails are for. */
export interface MailDirectory extends Pick<Directory, "principal"> {
  readonly users: Pick<Directory["users"], "get">;
}

/** Which queued mail a secret belongs to; it opens nowhere else, so no other recipient can be written beside it. */
export interface MailBinding extends Invitee {
  readonly mailId: string;
}

/** Encrypts what a queued mail must not show in the store. */
export interface MailSeal {
  seal(secret: string, binding: MailBinding): string;
  /** Throws AuthorizerError "internal" when the text was sealed for another mail or key, or is damaged. */
  open(sealed: string, binding: MailBinding): string;
}

/** Where is told what happens to mails. Fields never hold a token, a password or the text of a mail. */
export interface MailLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Plain numbers, read when metrics are scraped. */
export interface MailCounters {
  /** Mails in the queue, as this process knows it. */
  queued: number;
  /** Mails that the mail server took. */
  sent: number;
  /** Attempts that failed and are made again. */
  retried: number;
  /** Mails that were given up. */
  failed: number;
  /** Mails whose user was not there, or no longer. */
  dropped: number;
}

/** Counters at 0. */
export function createMailCounters(): MailCounters {
  return { queued: 0, sent: 0, retried: 0, failed: 0, dropped: 0 };
}
