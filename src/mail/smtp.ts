/** Mails over SMTP, by nodemailer: one connection for each mail, nothing of it in any log of the library. */

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

/** Sends a mail; resolves when the server has taken it, rejects with what {@link explainFailure} explains. */
export type SendMail = (mail: OutgoingMail, signal: AbortSignal) => Promise<void>;

/** True for a host on this machine: what is sent there passes no network. */
function isThisMachine(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === "localhost" || (isIPv4(name) && name.startsWith("127.")) || (isIPv6(name) && name === "::1")
  );
}

/**
 * A sender for a server. Certificates are always checked. A password leaves this machine only under TLS: with a
 * login, a server elsewhere that offers no STARTTLS is refused, since whoever sits between could have removed the
 * offer.
 */
export function smtpSender(settings: SmtpSettings): SendMail {
  const { host, port, implicitTls, localName, login } = settings;
  // Loaded by the first mail: most services never send one.
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

/** Why an attempt failed. */
export interface SendFailure {
  /** `recipient`: never this mail; `mail`: not now; `server`: no mail at present. */
  readonly scope: "recipient" | "mail" | "server";
  /** For people, without anything that a server was told: no token, no password. */
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

/** What a failed {@link SendMail} means. Only answers about recipient or content speak of this mail alone. */
export function explainFailure(error: unknown): SendFailure {
  const { code, command, response, responseCode, message } = (error ?? {}) as SmtpError;
  const step = typeof command === "string" ? command : "";
  if (typeof responseCode !== "number") {
    const text = [code, step, message].filter((part) => typeof part === "string" && part !== "").join(": ");
    return { scope: step === "API" ? "mail" : "server", reason: text.slice(0, MAX_REASON) };
  }
  // The text of an answer may repeat what the server was told, a password or the link; the codes cannot.
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response))?.[1] ?? "";
  const reason = `the mail server answered ${step} with ${responseCode} ${enhanced}`.trim();
  if (step !== "RCPT TO" && step !== "DATA") return { scope: "server", reason };
  return { scope: responseCode >= 500 ? "recipient" : "mail", reason };
}
