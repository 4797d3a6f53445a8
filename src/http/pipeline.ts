/**
 * One request on a route, from its headers to its answer: admission, authentication, content type, size, body, JSON,
 * handler, answer. All APIs are served by it. A hot request costs one object, no closure and, where neither the
 * caller nor the answer has to be waited for, no promise.
 */

import { overloaded } from "./admission.ts";
import { answer, finish, refuse } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { parseJsonBody } from "./json-body.ts";
import { checkBodyHeaders } from "./media-type.ts";
import { readBody, receiveBody, tooLarge } from "./receive-body.ts";
import type { Answer, Caller, MountedRoute, RouteBody } from "./route.ts";

/** Serves a request on its route. Never throws. To be called within the "request" event. */
export function serve(exchange: Exchange, route: MountedRoute, params?: readonly string[]): void {
  exchange.route = route;
  if (params !== undefined) exchange.params = params;
  try {
    if (route.priority !== undefined) admit(exchange, route.priority);
    const caller: Caller | Promise<Caller> = route.api.authenticate(exchange);
    if (caller instanceof Promise) {
      caller.then((known) => authenticated(exchange, known, false)).catch((error) => refuse(exchange, error));
    } else authenticated(exchange, caller, true);
  } catch (error) {
    refuse(exchange, error);
  }
}

function admit(exchange: Exchange, priority: "hot" | "bulk"): void {
  if (!exchange.server.admission.enter(priority)) throw overloaded();
  exchange.admitted = true;
}

/** Whether the body is read before the call is authorized. */
function looksAtBody({ authorizesBody, body }: MountedRoute): boolean {
  return authorizesBody === true && body !== undefined;
}

/** @param direct whether the body may still be taken past the stream */
function authenticated(exchange: Exchange, caller: Caller, direct: boolean): void {
  exchange.caller = caller;
  const { route } = exchange;
  const pending = looksAtBody(route) ? undefined : route.authorize?.(exchange as never);
  if (pending === undefined) receive(exchange, direct);
  else pending.then(() => receive(exchange, false)).catch((error) => refuse(exchange, error));
}

function receive(exchange: Exchange, direct: boolean): void {
  const { route } = exchange;
  const { body } = route;
  if (body === undefined) {
    run(exchange);
    return;
  }
  const format = checkBodyHeaders(exchange.request.headers, body);
  if (format !== "ndjson" && Number(exchange.request.headers["content-length"] ?? 0) > body.maxBytes) {
    throw tooLarge(body.maxBytes);
  }
  if (format === "ndjson") stream(exchange, body).catch((error) => refuse(exchange, error));
  else if (route.heavy === true) {
    inTurn(exchange, body).catch((error) => refuse(exchange, error));
  } else receiveBody(exchange, body.maxBytes, direct, received, refuse);
}

/** Bodies of heavy routes are read when it is their turn, so that what waits takes no memory. */
async function inTurn(exchange: Exchange, body: RouteBody): Promise<void> {
  const { response, server } = exchange;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  exchange.signal = gone.signal;
  exchange.waiting = true;
  await server.admission.acquire(gone.signal);
  try {
    if (response.destroyed || exchange.answered) return;
    exchange.waiting = false;
    exchange.deadline = performance.now() + server.limits.requestTimeoutMs;
    parse(exchange, await readBody(exchange, body.maxBytes));
    const { route } = exchange;
    if (looksAtBody(route)) await route.authorize?.(exchange as never);
    body.validate?.(exchange.body);
    const began = performance.now();
    complete(exchange, began, await route.handle(exchange as never));
  } finally {
    server.admission.release();
  }
}

async function stream(exchange: Exchange, body: RouteBody): Promise<void> {
  exchange.continueIfAsked();
  await body.stream?.(exchange as never);
  finish(exchange, exchange.response.statusCode);
}

function received(exchange: Exchange, bytes: Buffer): void {
  try {
    parse(exchange, bytes);
    const { route } = exchange;
    const pending = looksAtBody(route) ? route.authorize?.(exchange as never) : undefined;
    if (pending === undefined) run(exchange);
    else pending.then(() => run(exchange)).catch((error) => refuse(exchange, error));
  } catch (error) {
    refuse(exchange, error);
  }
}

function parse(exchange: Exchange, bytes: Buffer): void {
  const body = exchange.route.body as RouteBody;
  exchange.body = (body.parse ?? parseJsonBody)(bytes, exchange.server.limits.jsonDepth);
}

/** Throws what the handler throws at once. */
function run(exchange: Exchange): void {
  if (exchange.answered) return;
  exchange.route.body?.validate?.(exchange.body);
  const began = performance.now();
  const answered = exchange.route.handle(exchange as never);
  if (answered instanceof Promise) {
    answered.then((late) => complete(exchange, began, late)).catch((error) => refuse(exchange, error));
  } else complete(exchange, began, answered);
}

function complete(exchange: Exchange, began: number, answered: Answer): void {
  exchange.route.seconds?.observe((performance.now() - began) / 1000);
  answer(exchange, answered);
}
