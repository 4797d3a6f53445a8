/**
 * Gathers the body of a request, past the stream of `node:http` where that is possible. A body that comes in one
 * piece is passed on as it is; any other is copied into one buffer that grows, so that its memory does not depend on
 * how it was cut.
 */

import { RequestRefused } from "../errors.ts";
import type { BodyReceiver, Exchange, FailureReceiver } from "../exchange.ts";
import type { IncomingRequest } from "../fast/incoming-request.ts";

const EMPTY = Buffer.alloc(0);
const FIRST_CAPACITY = 4096;

/** Pieces that any body may have, and the bytes that pieces beyond them must have on average. */
const FREE_PIECES = 128;
const BYTES_PER_PIECE = 16;

/** The refusal of a body that is larger than it may be. */
export function tooLarge(maxBytes: number): RequestRefused {
  return new RequestRefused(413, `the body is larger than ${maxBytes} bytes`);
}

/**
 * Gathers a body; exactly one of `onBody` and `onFailure` is called, unless the caller of a direct request goes away.
 * @param direct true within the "request" event of a request whose stream nobody has touched
 * @param onFailure gets 413 for a body of more than `maxBytes`, whose rest is thrown away; 400 for one that comes in
 *   absurdly small pieces; 503 where all bodies together are too large and this one arrived most slowly
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
  else if (exchange.request.readableEnded) take(exchange, null);
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
    const { gathered, received } = exchange;
    exchange.releaseBody();
    if (gathered === undefined) onBody(exchange, EMPTY);
    else onBody(exchange, gathered.length === received ? gathered : gathered.subarray(0, received));
  } else gather(exchange, piece);
}

function gather(exchange: Exchange, piece: Buffer): void {
  const before = exchange.received;
  exchange.received += piece.length;
  exchange.pieces++;
  if (exchange.received > exchange.maxBytes) {
    fail(exchange, tooLarge(exchange.maxBytes));
  } else if (exchange.pieces > FREE_PIECES && exchange.received < exchange.pieces * BYTES_PER_PIECE) {
    // What such a caller still sends costs as much to throw away as to keep.
    exchange.response.shouldKeepAlive = false;
    exchange.response.once("finish", () => exchange.request.socket.destroySoon());
    fail(exchange, new RequestRefused(400, "the body comes in too many pieces of a few bytes"));
  } else if (before === 0 && exchange.received === Number(exchange.request.headers["content-length"])) {
    exchange.gathered = piece;
  } else append(exchange, before, piece);
}

/** Copies: a piece of one byte would keep the whole buffer that it was read into. */
function append(exchange: Exchange, before: number, piece: Buffer): void {
  let { gathered } = exchange;
  if (gathered === undefined || gathered.length < exchange.received) {
    const grown = Buffer.allocUnsafeSlow(capacityFor(exchange.received, exchange.maxBytes));
    gathered?.copy(grown, 0, 0, before);
    gathered = grown;
    exchange.gathered = grown;
    exchange.server.bodies.hold(exchange, grown.length);
  }
  // Undefined now where the body gave way.
  if (exchange.gathered !== undefined) piece.copy(gathered, before);
}

function capacityFor(bytes: number, maxBytes: number): number {
  let capacity = FIRST_CAPACITY;
  while (capacity < bytes) capacity *= 2;
  return Math.max(bytes, Math.min(capacity, maxBytes));
}

function fail(exchange: Exchange, error: unknown): void {
  const { onFailure } = exchange;
  exchange.releaseBody();
  onFailure?.(exchange, error);
}
