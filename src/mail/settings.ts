/** The `email` section of the configuration. It is validated as a whole, so an error names every item at once. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { type MailAddress, parseSender } from "./addresses.ts";
import type { MailRate } from "./token-bucket.ts";

/** The items `email.*` as configured; undefined where unset. */
export interface MailConfig {
  readonly smtpHost: string | undefined;
  readonly smtpPort: number | undefined;
  readonly useSsl: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly localName: string;
  readonly sender: string | undefined;
  /** `email.svc_base_url`. */
  readonly baseUrl: string;
  /** `email.limit_every_duration` in milliseconds. */
  readonly limitEveryMs: number;
  readonly burst: number;
}

/** Connection to the mail server. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte. False: STARTTLS if the server offers it. */
  readonly implicitTls: boolean;
  readonly localName: string;
  readonly login: { readonly username: string; readonly password: string } | undefined;
}

/** A valid configuration for sending mails. */
export interface MailSettings {
  readonly smtp: SmtpSettings;
  readonly sender: MailAddress;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly rate: MailRate;
}

const SUBMISSION_PORT = 587;
const IMPLICIT_TLS_PORT = 465;

/** An http or https URL without query and fragment. */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s\p{Cc}]/u.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

function problemsOf(config: MailConfig): string[] {
  const problems: string[] = [];
  if (!config.smtpHost) problems.push("set email.smtp_host to the mail server");
  if (!config.sender) problems.push("set email.sender to the address that mails come from");
  else if (parseSender(config.sender) === undefined) {
    problems.push("set email.sender to an address such as `Data <data@example.com>`");
  }
  if (!isBaseUrl(config.baseUrl)) problems.push("set email.svc_base_url to an http or https URL");
  if (Boolean(config.username) !== Boolean(config.password)) {
    problems.push("set both email.username and email.password, or neither");
  }
  if (config.burst <= 0) problems.push("set email.burst to more than 0, which forbids every mail");
  return problems;
}

/**
 * Derives the settings from the configuration.
 * @throws AuthorizerError "invalid_request" that names every item to be set before mails can be sent
 */
export function mailSettings(config: MailConfig): MailSettings {
  const problems = problemsOf(config);
  const sender = parseSender(config.sender ?? "");
  if (problems.length > 0 || sender === undefined || config.smtpHost === undefined) {
    throw new AuthorizerError("invalid_request", `invitations cannot be sent: ${problems.join("; ")}`);
  }
  const { username, password } = config;
  return {
    smtp: {
      host: config.smtpHost,
      port: config.smtpPort ?? (config.useSsl ? IMPLICIT_TLS_PORT : SUBMISSION_PORT),
      implicitTls: config.useSsl,
      localName: config.localName,
      login: username && password ? { username, password } : undefined,
    },
    sender,
    baseUrl: config.baseUrl.replace(/\/+$/, ""),
    rate: { burst: config.burst, everyMs: config.limitEveryMs },
  };
}
