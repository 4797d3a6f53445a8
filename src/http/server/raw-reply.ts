/** Answers for callers whose request never became one: written to the socket itself. */

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody } from "../errors.ts";
import { NO_SNIFF } from "../limits.ts";

/** An answer that is written to a socket. */
interface RawReply {
  readonly status: number;
  readonly message: string;
  /** Further headers, name and value in turn. */
  readonly headers: readonly string[];
}

/** Time in which a caller may take such an answer and end its half of the connection, in milliseconds. */
const TAKEN_WITHIN_MS = 1_000;

/** Writes a whole answer and ends the connection: at once when its caller does so too, else a moment later. */
export function rawReply(socket: Duplex, { status, message, headers }: RawReply): void {
  // Node takes its own listener off a connection of CONNECT. Without one, a caller who has gone would end the process.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(message);
  const own = ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))];
  const all = [...own, "Date", new Date().toUTCString(), "Connection", "close", ...NO_SNIFF, ...headers];
  const lines = all.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : []));
  const late = setTimeout(() => socket.destroy(), TAKEN_WITHIN_MS);
  socket.once("close", () => clearTimeout(late));
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
  // Bytes that nobody reads would hide the caller's end.
  socket.resume();
}

const CAUSES: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["HPE_HEADER_OVERFLOW", [431, "the request line and headers are too large"]],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", [413, "the chunk extensions are too large"]],
  ["ERR_HTTP_REQUEST_TIMEOUT", [408, "the request did not arrive in time"]],
]);

/** Status and message for what the HTTP parser could not take. */
export function parserFault(error: Error & { code?: string }): Omit<RawReply, "headers"> {
  const [status, message] = CAUSES.get(error.code ?? "") ?? [400, "not a well-formed HTTP request"];
  return { status, message };
}
