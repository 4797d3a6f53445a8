/** Gathers the body of a request, past the stream of `node:http` where that is possible. */

import { RequestRefused } from "./errors.ts";
import type { BodyReceiver, Exchange, FailureReceiver, IncomingRequest } from "./exchange.ts";

const EMPTY = Buffer.alloc(0);

/** The refusal of a body that is larger than it may be. */
export function tooLarge(maxBytes: number): RequestRefused {
  return new RequestRefused(413, `the body is larger than ${maxBytes} bytes`);
}

/**
 * Gathers a body; exactly one of `onBody` and `onFailure` is called, unless the caller of a direct request goes away.
 * @param direct true within the "request" event of a request whose stream nobody has touched
 * @param onFailure gets 413 for a body of more than `maxBytes`; what is left of it is thrown away
 */
export function receiveBody(
  exchange: Exchange,
  maxBytes: number,
  direct: boolean,
  onBody: BodyReceiver,
  onFailure: FailureReceiver,
): void {
  exchange.continueIfAsked();
  exchange.maxBytes = maxBytes;
  exchange.onBody = onBody;
  exchange.onFailure = onFailure;
  if (direct) exchange.onPiece = take;
  else exchange.request.on("data", onData).on("end", onEnd).on("close", onClose);
}

/** As {@link receiveBody}, as a promise; rejects also when the caller goes away half-way. */
export function readBody(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    receiveBody(
      exchange,
      maxBytes,
      false,
      (_exchange, body) => resolve(body),
      (_exchange, error) => reject(error),
    );
  });
}

function onData(this: IncomingRequest, piece: Buffer): void {
  take(this.exchange as Exchange, piece);
}

function onEnd(this: IncomingRequest): void {
  take(this.exchange as Exchange, null);
}

function onClose(this: IncomingRequest): void {
  fail(this.exchange as Exchange, new Error("the caller went away"));
}

function take(exchange: Exchange, piece: Buffer | null): void {
  const { onBody } = exchange;
  if (onBody === undefined) return;
  if (exchange.answered) fail(exchange, new Error("the request was answered before its body had arrived"));
  else if (piece === null) {
    const { first, rest, received } = exchange;
    release(exchange);
    onBody(exchange, rest === undefined ? (first ?? EMPTY) : Buffer.concat(rest, received));
  } else {
    exchange.received += piece.length;
    if (exchange.received > exchange.maxBytes) fail(exchange, tooLarge(exchange.maxBytes));
    else if (exchange.first === undefined) exchange.first = piece;
    else if (exchange.rest === undefined) exchange.rest = [exchange.first, piece];
    else exchange.rest.push(piece);
  }
}

function fail(exchange: Exchange, error: unknown): void {
  const { onFailure } = exchange;
  release(exchange);
  onFailure?.(exchange, error);
}

/** What comes from here on is thrown away. */
function release(exchange: Exchange): void {
  exchange.first = undefined;
  exchange.rest = undefined;
  exchange.onBody = undefined;
  exchange.onFailure = undefined;
}
