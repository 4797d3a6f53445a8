/** Sends mails over SMTP with nodemailer: one connection for each mail, and no logging by the library. */

import { isIPv4, isIPv6 } from "node:net";
import type { MailAddress } from "./addresses.ts";
import type { MailText } from "./invitation-text.ts";
import type { SmtpSettings } from "./settings.ts";

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** One mail to one recipient. */
export interface OutgoingMail extends MailText {
  readonly from: MailAddress;
  readonly to: string;
  /** With its angle brackets. */
  readonly messageId: string;
}

/** Sends a mail. Resolves when the server has accepted it, rejects with an error for {@link explainFailure}. */
export type SendMail = (mail: OutgoingMail, signal: AbortSignal) => Promise<void>;

/** True for a host on this machine: traffic to it passes no network. */
function isThisMachine(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === "localhost" || (isIPv4(name) && name.startsWith("127.")) || (isIPv6(name) && name === "::1")
  );
}

/**
 * Creates a sender for a server. It always verifies certificates. A password leaves this machine only under TLS: with a
 * login, a remote server that offers no STARTTLS is refused, because an attacker on the way could have removed the
 * offer.
 */
export function smtpSender(settings: SmtpSettings): SendMail {
  const { host, port, implicitTls, localName, login } = settings;
  // The first mail loads it: most services never send one.
  const transport = async () => {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      host,
      port,
      secure: implicitTls,
      requireTLS: !implicitTls && login !== undefined && !isThisMachine(host),
      name: localName,
      ...(login !== undefined && { auth: { user: login.username, pass: login.password } }),
      allowInternalNetworkInterfaces: true,
      dnsTimeout: CONNECT_MS,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: false,
    });
  };
  let opened: ReturnType<typeof transport> | undefined;
  return async ({ from, to, ...mail }, signal) => {
    opened ??= transport();
    const transporter = await opened;
    await transporter.sendMail({
      ...mail,
      from,
      to: { name: "", address: to },
      headers: { "Auto-Submitted": "auto-generated" },
      xMailer: false,
      signal,
    });
  };
}

/** The reason of a failed attempt. */
export interface SendFailure {
  /** `recipient`: never this mail; `mail`: not now; `server`: no mail at present. */
  readonly scope: "recipient" | "mail" | "server";
  /** For people. It contains nothing that was sent to the server: no token, no password. */
  readonly reason: string;
}

const MAX_REASON = 300;

interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
  readonly message?: unknown;
}

/**
 * Interprets the error of {@link SendMail}. Only answers about the recipient or the content concern this mail alone.
 */
export function explainFailure(error: unknown): SendFailure {
  const { code, command, response, responseCode, message } = (error ?? {}) as SmtpError;
  const step = typeof command === "string" ? command : "";
  if (typeof responseCode !== "number") {
    const text = [code, step, message].filter((part) => typeof part === "string" && part !== "").join(": ");
    return { scope: step === "API" ? "mail" : "server", reason: text.slice(0, MAX_REASON) };
  }
  // The text of an answer may repeat a password or the link that was sent; the codes cannot.
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response))?.[1] ?? "";
  const reason = `the mail server answered ${step} with ${responseCode} ${enhanced}`.trim();
  if (step !== "RCPT TO" && step !== "DATA") return { scope: "server", reason };
  return { scope: responseCode >= 500 ? "recipient" : "mail", reason };
}
