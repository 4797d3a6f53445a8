/** The request class of our servers: `node:http`'s with what the edge keeps beside it. */

import { IncomingMessage, type ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";

/**
 * A request. Its fields survive Express, which changes the prototypes of requests; methods would not, so there are
 * none.
 */
export class ServiceRequest extends IncomingMessage {
  /** Milliseconds of `performance.now()`: when the headers were there, and when the caller's time is up. */
  startedAt = 0;
  deadline = Number.POSITIVE_INFINITY;
  /** False while a bulk request waits for its turn. */
  inTurn = true;
  /** True while the caller waits for `100 Continue` before it sends the body. */
  awaitsContinue = false;
  exchange: Exchange | undefined = undefined;
}

/** Tells a caller that waits with its body to send it. */
export function continueIfAsked(request: ServiceRequest, response: ServerResponse): void {
  if (!request.awaitsContinue) return;
  request.awaitsContinue = false;
  response.writeContinue();
}
