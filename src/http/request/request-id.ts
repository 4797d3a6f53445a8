/** `X-Request-ID`: echoed, or made (spec/decision-api §2). */

import { randomBytes } from "node:crypto";

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

const PROCESS = randomBytes(9).toString("base64url");
let last = 0;

/** A fresh id: unique over processes, cheap, not secret. */
function makeRequestId(): string {
  last++;
  return `${PROCESS}-${last.toString(36)}`;
}

/**
 * The id of a request, which its answer and its log entries carry.
 * @param sent the `X-Request-ID` header; undefined, empty, longer than 128 characters or not printable ASCII: a fresh
 *   id takes its place
 */
export function requestId(sent: string | undefined): string {
  return sent !== undefined && PRINTABLE.test(sent) ? sent : makeRequestId();
}
