/** A shorter way for a whole answer on a connection that stays open. */

import { type ServerResponse, STATUS_CODES } from "node:http";
import { rememberLast } from "../../remember-last.ts";
import { turnEnd } from "../../schedule/turn-end.ts";

/** The headers that describe a body, and its encoding. */
export interface Frame {
  /** Name and value in turn. */
  readonly headers: readonly string[];
  /** The same as lines of a head. */
  readonly lines: string;
  /** False where there can be no body. */
  readonly hasLength: boolean;
  readonly encoding: "latin1" | "utf8";
}

/** A response with the head that it keeps: null before it is made. Node's types do not name it. */
type WithHead = ServerResponse & { _header?: string | null };

/** A character that `node:http` refuses in the value of a header (RFC 9110, section 5.5). */
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Returns headers, name and value in turn, as lines of a head. Undefined where `node:http` would refuse a value, as it then does. */
export function headerLines(headers: readonly string[]): string | undefined {
  let lines = "";
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    if (NOT_IN_A_VALUE.test(value)) return undefined;
    lines += `${headers[at]}: ${value}\r\n`;
  }
  return lines;
}

/**
 * Ends an answer with its head as one text: `node:http` takes a tenth of a small request to check and join headers one
 * by one.
 * @param headers lines of a head; `Connection`, `Date` and what describes the body are added here
 * @returns false if nothing was written, because this answer has to go the usual way: it has no length, ends the
 *   connection, or has headers that were set before
 */
export function endAtOnce(
  response: ServerResponse,
  status: number,
  { hasLength, lines, encoding }: Frame,
  headers: string,
  body: string | undefined,
): boolean {
  const written: WithHead = response;
  // A version of Node that does not keep it there is undefined here.
  if (written._header !== null || !hasLength || !response.shouldKeepAlive) return false;
  if (response.getHeaderNames().length > 0) return false;
  response.statusCode = status;
  written._header = statusLine(status) + lines + headers + dateAndConnection(Math.floor(Date.now() / 1000));
  turnEnd.add(() => response.end(body, encoding));
  return true;
}

function statusLine(status: number): string {
  return status === 200
    ? "HTTP/1.1 200 OK\r\n"
    : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
}

/** The last headers, made once a second. */
const dateAndConnection = rememberLast(
  (second: number) => `Date: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\n\r\n`,
);
