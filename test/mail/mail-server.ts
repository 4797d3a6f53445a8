/** Starts mail servers for tests and reads what they got. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const CHILD = fileURLToPath(new URL("./smtp-child.ts", import.meta.url));

/** The behaviour of a server. */
export interface ServerPlan {
  /** Default any free one. */
  readonly port?: number;
  /** TLS: from the first byte, or by STARTTLS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly implicitTls?: boolean;
  readonly login?: { readonly username: string; readonly password: string };
  /** Take a password without TLS. */
  readonly insecureAuth?: boolean;
  readonly refuse?: Refusals;
  /** Never answer the end of a mail. */
  readonly hang?: boolean;
}

type Refusal = readonly [code: number, text?: string];

/** Answers by step. */
interface Refusals {
  readonly mail?: Refusal;
  readonly recipient?: Refusal;
  readonly data?: Refusal;
}

export interface ToServer {
  readonly refuse: Refusals;
}

interface ReceivedMail {
  readonly kind: "mail";
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly tls: boolean;
  readonly user: string;
  readonly helo: string;
}

export type FromServer =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "login"; readonly username: string; readonly right: boolean }
  | { readonly kind: "recipient"; readonly address: string }
  | ReceivedMail;

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  readonly logins: { readonly username: string; readonly right: boolean }[];
  readonly recipients: string[];
  /** Answers with refusals from now on; none given: takes everything. */
  refuse(refusals: Refusals): void;
  stop(): Promise<void>;
}

const running: ChildProcess[] = [];

/** Ends every server that was started. */
export async function stopServers(): Promise<void> {
  for (const child of running.splice(0)) await stop(child);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

export async function startServer(plan: ServerPlan = {}): Promise<MailServer> {
  const child = fork(CHILD, [JSON.stringify(plan)]);
  running.push(child);
  const [mails, logins, recipients] = [[], [], []] as [ReceivedMail[], MailServer["logins"], string[]];
  const ready = Promise.withResolvers<number>();
  child.on("message", (message: FromServer) => {
    if (message.kind === "ready") ready.resolve(message.port);
    else if (message.kind === "mail") mails.push(message);
    else if (message.kind === "login") logins.push(message);
    else recipients.push(message.address);
  });
  child.on("exit", (code) => ready.reject(new Error(`the mail server ended with ${code}`)));
  return {
    port: await ready.promise,
    mails,
    logins,
    recipients,
    refuse: (refuse) => void child.send({ refuse } satisfies ToServer),
    stop: () => stop(child),
  };
}

/** The headers of a mail, unfolded, by name in lower case. */
export function headersOf({ raw }: ReceivedMail): Map<string, string> {
  const head = raw.slice(0, raw.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
  return new Map(
    head.split("\r\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** The body with soft line breaks and escapes of quoted-printable undone. */
export function bodyOf({ raw }: ReceivedMail): string {
  const body = raw.slice(raw.indexOf("\r\n\r\n")).replaceAll(/=\r\n/g, "");
  return body.replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("=", ""), "hex").toString(),
  );
}

/** The token of the link in a mail; fails when text and HTML differ. */
export function tokenOf(mail: ReceivedMail): string {
  const found = [...bodyOf(mail).matchAll(/\/auth\/(?:invite|reset)\?token=([A-Za-z0-9_-]*)/g)].map(
    ([, token]) => token,
  );
  expect(found).toHaveLength(2);
  expect(found[0]).toBe(found[1]);
  return found[0] as string;
}
