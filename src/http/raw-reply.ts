/** Answers for callers whose request never became one: written to the socket itself. */

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody } from "./errors.ts";

/** Writes a whole answer and ends the connection. */
export function rawReply(socket: Duplex, status: number, message: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const CAUSES: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["HPE_HEADER_OVERFLOW", [431, "the request line and headers are too large"]],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", [413, "the chunk extensions are too large"]],
  ["ERR_HTTP_REQUEST_TIMEOUT", [408, "the request did not arrive in time"]],
]);

/** Status and message for what the HTTP parser could not take. */
export function parserFault(error: Error & { code?: string }): readonly [number, string] {
  return CAUSES.get(error.code ?? "") ?? [400, "not a well-formed HTTP request"];
}
