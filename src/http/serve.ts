/**
 * One request on a route that takes a body and a token, from its headers to its answer. Hot paths come here straight
 * from `node:http`, all others through Express: same code, same rules. A hot request takes one object, no closure
 * and, when the decision is at hand, no promise.
 */

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { overloaded } from "./admission.ts";
import { answer, finish, refuse } from "./answer.ts";
import { readBody } from "./body.ts";
import { invalidRequest, RequestRefused } from "./errors.ts";
import { type BodyRoute, type Edge, Exchange } from "./exchange.ts";
import { parseJsonBody } from "./json-body.ts";
import { type BodyFormat, bodyFormat, refuseCoding } from "./media-type.ts";
import { type Access, requireScope } from "./scopes.ts";
import { continueIfAsked, type ServiceRequest } from "./service-request.ts";

type BodyExchange = Exchange<BodyRoute>;

/**
 * Serves a request. Never throws.
 * @param direct true within the "request" event of a request that did not meet Express: its body need not go
 *   through a stream.
 */
export function serve(
  edge: Edge,
  route: BodyRoute,
  request: ServiceRequest,
  response: ServerResponse,
  direct = false,
): void {
  const exchange = new Exchange(edge, route, request, response);
  request.exchange = exchange;
  try {
    const access = edge.bearer.verify(request);
    if (access instanceof Promise) {
      access
        .then((known) => admit(request, exchange, known, false))
        .catch((error) => refuse(request, exchange, error));
    } else admit(request, exchange, access, direct);
  } catch (error) {
    refuse(request, exchange, error);
  }
}

function admit(request: ServiceRequest, exchange: BodyExchange, access: Access, direct: boolean): void {
  const { edge, route } = exchange;
  exchange.access = access;
  requireScope(access, route.scope);
  const format = contentFormat(request.headers, route);
  if (!edge.admission.enter(route.priority)) throw overloaded();
  exchange.inside = true;
  if (format === "json" && route.priority === "hot") receive(request, exchange, direct);
  else {
    const work = format === "json" ? inTurn(request, exchange) : stream(request, exchange);
    work.catch((error) => refuse(request, exchange, error));
  }
}

/** Judges a body by its headers, before any of it is read. */
function contentFormat(headers: IncomingHttpHeaders, route: BodyRoute): BodyFormat {
  const format = bodyFormat(headers["content-type"]);
  if (format === undefined || (format === "ndjson" && route.stream === undefined)) {
    const wanted =
      route.stream === undefined ? "application/json" : "application/json or application/x-ndjson";
    throw invalidRequest([], `Content-Type must be ${wanted}, in UTF-8`);
  }
  if (headers["content-encoding"] !== undefined) refuseCoding(headers["content-encoding"]);
  if (format === "json" && Number(headers["content-length"] ?? 0) > route.maxBytes) throw tooLarge(route);
  return format;
}

function tooLarge(route: BodyRoute): RequestRefused {
  return new RequestRefused(413, `the body is larger than ${route.maxBytes} bytes`);
}

/** Bulk bodies are read when it is their turn, so that what waits takes no memory. */
async function inTurn(request: ServiceRequest, exchange: BodyExchange): Promise<void> {
  const { response, route, edge } = exchange;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  exchange.signal = gone.signal;
  request.inTurn = false;
  await edge.admission.acquire(gone.signal);
  try {
    if (response.destroyed || exchange.answered) return;
    request.inTurn = true;
    request.deadline = performance.now() + edge.limits.requestTimeoutMs;
    continueIfAsked(request, response);
    const bytes = await readBody(request, route.maxBytes, () => tooLarge(route));
    const body = (route.parse ?? parseJsonBody)(bytes, edge.limits.jsonDepth);
    const began = performance.now();
    decided(request, exchange, began, await route.answer(body, exchange));
  } finally {
    edge.admission.release();
  }
}

async function stream(request: ServiceRequest, exchange: BodyExchange): Promise<void> {
  const { response, route } = exchange;
  continueIfAsked(request, response);
  await route.stream?.(request, response, exchange);
  finish(request, exchange, response.statusCode);
}

function receive(request: ServiceRequest, exchange: BodyExchange, direct: boolean): void {
  continueIfAsked(request, exchange.response);
  if (direct) request.sink = take;
  else {
    request.on("data", onData);
    request.on("end", onEnd);
  }
}

function onData(this: ServiceRequest, piece: Buffer): void {
  take(this, piece);
}

function onEnd(this: ServiceRequest): void {
  take(this, null);
}

/** Gathers a body and acts on its end; what comes after an answer is thrown away. */
function take(request: ServiceRequest, piece: Buffer | null): void {
  const exchange = request.exchange as BodyExchange;
  if (exchange.answered) return;
  if (piece === null) {
    decide(request, exchange);
    return;
  }
  exchange.received += piece.length;
  if (exchange.received > exchange.route.maxBytes) {
    exchange.first = undefined;
    exchange.rest = undefined;
    refuse(request, exchange, tooLarge(exchange.route));
  } else if (exchange.first === undefined) exchange.first = piece;
  else if (exchange.rest === undefined) exchange.rest = [exchange.first, piece];
  else exchange.rest.push(piece);
}

/** Answers with a decision and counts what it took since `began`. */
function decided(request: ServiceRequest, exchange: BodyExchange, began: number, text: string): void {
  exchange.route.decisionSeconds.observe((performance.now() - began) / 1000);
  answer(request, exchange, text);
}

const EMPTY = Buffer.alloc(0);

/** Answers from a whole body. */
function decide(request: ServiceRequest, exchange: BodyExchange): void {
  const { first, rest, route } = exchange;
  exchange.first = undefined;
  exchange.rest = undefined;
  try {
    const bytes = rest === undefined ? (first ?? EMPTY) : Buffer.concat(rest, exchange.received);
    const body = (route.parse ?? parseJsonBody)(bytes, exchange.edge.limits.jsonDepth);
    const began = performance.now();
    const text = route.answer(body, exchange);
    if (typeof text === "string") decided(request, exchange, began, text);
    else
      text
        .then((late) => decided(request, exchange, began, late))
        .catch((error) => refuse(request, exchange, error));
  } catch (error) {
    refuse(request, exchange, error);
  }
}
