/**
 * Connections to an LDAP server. TLS is negotiated here, not by the library: it would connect again by itself, in clear text,
 * where a server closes a connection after StartTLS, and would read what came in clear text before TLS as an answer after it.
 */

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** A server, and the way to it. */
export interface LdapServer {
  /** `ldap:` or `ldaps:`, with a host. */
  readonly url: URL;
  readonly startTls: boolean;
  /** Certificates of authorities, PEM; undefined: those of Node. */
  readonly ca: string | undefined;
}

const PORTS: Readonly<Record<string, number>> = { "ldap:": 389, "ldaps:": 636 };
/** ExtendedRequest 1.3.6.1.4.1.1466.20037 with the message id 1 (RFC 4511, section 4.14). */
const START_TLS = Buffer.concat([
  Buffer.from("301d02010177188016", "hex"),
  Buffer.from("1.3.6.1.4.1.1466.20037"),
]);
/** The beginning of the answer, after the length: message id 1, ExtendedResponse. */
const ANSWER = Buffer.from("02010178", "hex");
const SUCCESS = Buffer.from("0a0100", "hex");
/** More than any such answer. */
const LONGEST_ANSWER = 1_024;

/**
 * An open connection, with TLS where the address or `startTls` asks for it. Certificates are checked with the host's name.
 * @param signal ends the attempt
 */
export async function connectLdap(server: LdapServer, signal: AbortSignal): Promise<Socket> {
  const { url, startTls } = server;
  const host = hostOf(url);
  const socket = connectPlain({ host, port: Number(url.port) || (PORTS[url.protocol] ?? 0) });
  // Whoever waits hears of the close that follows.
  socket.on("error", () => {});
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    await opened(socket, "connect");
    if (url.protocol !== "ldaps:" && !startTls) return socket;
    if (url.protocol !== "ldaps:") await negotiate(socket);
    return await secured(socket, host, server.ca);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

async function secured(socket: Socket, host: string, ca: string | undefined): Promise<TLSSocket> {
  const tls = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    minVersion: "TLSv1.2",
  });
  tls.on("error", () => {});
  await opened(tls, "secureConnect");
  return tls;
}

/** Asks for TLS. Anything beside the one answer came from somebody on the way. */
async function negotiate(socket: Socket): Promise<void> {
  socket.write(START_TLS);
  let answer = Buffer.alloc(0);
  for (;;) {
    answer = Buffer.concat([answer, await nextChunk(socket)]);
    const length = lengthOf(answer);
    if (length === undefined || answer.length < length) {
      if (answer.length > LONGEST_ANSWER) throw new Error("the answer to StartTLS is too long");
      continue;
    }
    if (answer.length > length) throw new Error("the LDAP server sent more than the answer to StartTLS");
    if (!isSuccess(answer)) throw new Error("the LDAP server refuses StartTLS");
    return;
  }
}

/** The length of a message with its head (BER); undefined while the head is not whole. */
function lengthOf(bytes: Buffer): number | undefined {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) return undefined;
  if (tag !== 0x30) throw new Error("the LDAP server does not speak LDAP");
  if (first < 0x80) return 2 + first;
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new Error("the LDAP server does not speak LDAP");
  if (bytes.length < 2 + count) return undefined;
  return 2 + count + bytes.readUIntBE(2, count);
}

function isSuccess(message: Buffer): boolean {
  const start = message.indexOf(ANSWER);
  if (start < 2 || start > 6) return false;
  const head = start + ANSWER.length;
  const first = message[head] ?? 0;
  const content = head + 1 + (first < 0x80 ? 0 : first & 0x7f);
  return message.subarray(content, content + SUCCESS.length).equals(SUCCESS);
}

function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error("the LDAP server closed the connection"));
    socket.once("error", reject);
    socket.once("close", closed);
    socket.once(event, () => {
      socket.removeListener("error", reject);
      socket.removeListener("close", closed);
      resolve();
    });
  });
}

/** The bytes that come next; the socket is paused afterwards. */
function nextChunk(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      socket.pause();
      socket.removeAllListeners("data");
      socket.removeListener("error", failed);
      socket.removeListener("close", closed);
    };
    const failed = (error: Error): void => {
      done();
      reject(error);
    };
    const closed = (): void => failed(new Error("the LDAP server closed the connection"));
    socket.once("error", failed);
    socket.once("close", closed);
    socket.once("data", (chunk: Buffer) => {
      done();
      resolve(chunk);
    });
    socket.resume();
  });
}
