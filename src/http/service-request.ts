/** The request class of our servers: `node:http`'s with what the edge keeps beside it. */

import { IncomingMessage, type ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";

/**
 * A request. Its fields survive Express, which changes the prototypes of requests; methods do not, so what they do is
 * only for requests that never meet Express.
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
  /**
   * Takes the body piece by piece, past the buffers and events of the stream, which take a tenth of the time of a
   * small request. To be set before the first piece comes, that is within the "request" event; must not throw.
   */
  sink: BodySink | undefined = undefined;

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.sink === undefined) return super.push(piece, encoding);
    this.sink(this, piece);
    return true;
  }
}

/** Takes a piece of a body, or null at its end. */
export type BodySink = (request: ServiceRequest, piece: Buffer | null) => void;

/** Tells a caller that waits with its body to send it. */
export function continueIfAsked(request: ServiceRequest, response: ServerResponse): void {
  if (!request.awaitsContinue) return;
  request.awaitsContinue = false;
  response.writeContinue();
}
