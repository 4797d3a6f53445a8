/** Whether a caller may have an answer already. */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * True if the system has taken an answer that was written to a connection. Of one over TLS, Node tells a turn of the event loop
 * later, when the caller may have asked again: handed over to the connection is enough there, for one answer at a time.
 */
export function isAnswerTaken(response: ServerResponse, socket: Socket): boolean {
  if (response.writableFinished) return true;
  // One that waits for the answer before it has no connection yet.
  return "encrypted" in socket && response.writableEnded && response.socket === socket;
}
