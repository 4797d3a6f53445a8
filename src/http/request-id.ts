/** `X-Request-ID`: echoed, or made where one is needed (decision-api.md §2). */

import { randomBytes } from "node:crypto";

const SOUND = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

const PROCESS = randomBytes(9).toString("base64url");
let last = 0;

/** A fresh id: unique over processes, cheap, not secret. */
export function makeRequestId(): string {
  last++;
  return `${PROCESS}-${last.toString(36)}`;
}

/**
 * The id of a request.
 * @param sent the `X-Request-ID` header. One that is empty, longer than 128 characters or not printable ASCII is
 *   replaced by a fresh one, as it will go into answers and logs.
 * @param always whether a request without a header gets an id; else it has none ("").
 */
export function requestId(sent: string | undefined, always: boolean): string {
  if (sent === undefined) return always ? makeRequestId() : "";
  return SOUND.test(sent) ? sent : makeRequestId();
}
