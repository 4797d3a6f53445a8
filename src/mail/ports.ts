/** Ports of this folder. */

import type { Directory } from "../directory/directory.ts";
import type { Invitee } from "./invitations.ts";

/** Port: finds the users that receive mails. */
export interface MailDirectory extends Pick<Directory, "principal" | "passwords" | "writingBeside"> {
  readonly users: Pick<Directory["users"], "get" | "newId">;
  readonly sessions: Pick<Directory["sessions"], "get">;
}

/** Binds a sealed secret to its queued mail: it opens nowhere else, so nobody can put another recipient beside it. */
interface MailBinding extends Invitee {
  readonly mailId: string;
}

/** Port: encrypts the secret part of a queued mail. */
export interface MailSeal {
  seal(secret: string, binding: MailBinding): string;
  /** Throws AuthorizerError "internal" if the text was sealed for another mail or key, or is damaged. */
  open(sealed: string, binding: MailBinding): string;
}

/** Port: the log of mails. Fields never hold a token, a password or the text of a mail. */
export interface MailLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Plain numbers, read when metrics are scraped. */
export interface MailCounters {
  /** Mails in the queue, as this process knows it. */
  queued: number;
  /** Mails that the mail server accepted. */
  sent: number;
  /** Failed attempts that will be repeated. */
  retried: number;
  /** Mails that were given up. */
  failed: number;
  /** Mails whose user did not exist. */
  dropped: number;
}

/** Counters at 0. */
export function createMailCounters(): MailCounters {
  return { queued: 0, sent: 0, retried: 0, failed: 0, dropped: 0 };
}
