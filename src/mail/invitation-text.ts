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

/** The words of a mail with a link. */
interface Words {
  readonly subject: string;
  /** Path and query of the link, up to the token. */
  readonly path: string;
  /** The news, before the user name. */
  readonly news: string;
  readonly todo: string;
  readonly linkText: string;
  readonly otherwise: string;
}

/** Writes the invitation. Names of users appear only in its body, never in a header. */
export function invitationText(content: InvitationContent): MailText {
  const { host } = new URL(content.baseUrl);
  return linkMail(content, {
    subject: `Your invitation to ${host}`,
    path: "/auth/invite?token=",
    news: `you have been invited to ${host}. Your user name is`,
    todo: "To accept the invitation, open this link:",
    linkText: "Accept the invitation",
    otherwise: "If you did not expect this mail, you can ignore it.",
  });
}

/** Writes the mail with which somebody sets a new password. */
export function resetText(content: InvitationContent): MailText {
  const { host } = new URL(content.baseUrl);
  return linkMail(content, {
    subject: `Your password at ${host}`,
    path: "/auth/reset?token=",
    news: `somebody asked for a new password at ${host}. Your user name is`,
    todo: "To set a new password, open this link:",
    linkText: "Set a new password",
    otherwise: "If that was not you, you can ignore this mail: your password stays as it is.",
  });
}

function linkMail(content: InvitationContent, words: Words): MailText {
  const link = `${content.baseUrl}${words.path}${content.token}`;
  const name = oneLine(content.username);
  const until = `${new Date(content.expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const about = `The link works once, until ${until}. ${words.otherwise}`;
  return {
    subject: words.subject,
    text: ["Hello,", `${words.news} ${name}`, words.todo, link, about, ""].join("\n\n"),
    html: [
      "<p>Hello,</p>",
      `<p>${escapeHtml(words.news)} <b>${escapeHtml(name)}</b></p>`,
      `<p><a href="${escapeHtml(link)}">${words.linkText}</a></p>`,
      `<p>${escapeHtml(about)}</p>`,
      "",
    ].join("\n"),
  };
}
