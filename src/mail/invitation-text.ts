/** The text of an invitation, plain and as HTML. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type { Invitee } from "./invitations.ts";

/** The texts of a mail. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Input of the text of an invitation. */
interface InvitationContent extends Invitee {
  /** Base of the link, without a slash at the end. */
  readonly baseUrl: string;
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Replaces characters that break lines or change the direction of text by blanks. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}

/** Writes the invitation. Names of users appear only in its body, never in a header. */
export function invitationText(content: InvitationContent): MailText {
  const { host } = new URL(content.baseUrl);
  const link = `${content.baseUrl}/auth/invite?token=${content.token}`;
  const name = oneLine(content.username);
  const until = `${new Date(content.expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const about = `The link works once, until ${until}. If you did not expect this mail, you can ignore it.`;
  return {
    subject: `Your invitation to ${host}`,
    text: [
      "Hello,",
      `you have been invited to ${host}. Your user name is ${name}`,
      "To accept the invitation, open this link:",
      link,
      about,
      "",
    ].join("\n\n"),
    html: [
      "<p>Hello,</p>",
      `<p>you have been invited to ${escapeHtml(host)}. Your user name is <b>${escapeHtml(name)}</b></p>`,
      `<p><a href="${escapeHtml(link)}">Accept the invitation</a></p>`,
      `<p>${escapeHtml(about)}</p>`,
      "",
    ].join("\n"),
  };
}
