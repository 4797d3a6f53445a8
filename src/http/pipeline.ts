/**
 * One request on a route, from its headers to its answer: admission, authentication, content type, size, body, JSON,
 * handler, answer. All APIs are served by it. A hot request costs one object and, where neither the caller nor the answer
 * has to be waited for, no promise.
 */

import { turnEnd } from "../schedule/turn-end.ts";
import { overloaded } from "./admission.ts";
import { answer, finish, refuse } from "./answer.ts";
import { parseJsonInTurns } from "./body/json-body.ts";
import { checkBodyHeaders } from "./body/media-type.ts";
import { readBody, receiveBody, tooLarge } from "./body/receive-body.ts";
import type { Exchange } from "./exchange.ts";
import type { Revisions, TracedRequest } from "./ports.ts";
import {
  type Answer,
  type Caller,
  isMutation,
  type MountedRoute,
  OPEN_API,
  type RouteBody,
} from "./route.ts";

/** A request that is handled within this time, in milliseconds, is answered from the state that it began with. */
const AT_ONCE_MS = 2;

/** Serves a request on its route. Never throws. To be called within the "request" event. */
export function serve(exchange: Exchange, route: MountedRoute, params?: readonly string[]): void {
  exchange.route = route;
  if (params !== undefined) exchange.params = params;
  // Probes and documents are not traced.
  if (exchange.server.traces !== undefined && route.api !== OPEN_API) {
    exchange.span = exchange.server.traces.begin(tracedRequest(exchange));
    if (exchange.span !== undefined) {
      exchange.span.run(() => begin(exchange, route));
      return;
    }
  }
  begin(exchange, route);
}

/** The request as traces see it. */
function tracedRequest({ request, route, requestId, startedAt, sentTraceParent }: Exchange): TracedRequest {
  return {
    method: request.method as string,
    path: route.shownPath ?? route.path,
    requestId,
    startedAt,
    traceParent: sentTraceParent,
    traceState: request.headers["tracestate"] as string | undefined,
  };
}

function begin(exchange: Exchange, route: MountedRoute): void {
  try {
    expectPlace(exchange, route);
    const { revisions } = exchange.server;
    if (revisions === undefined || route.api === OPEN_API) authenticate(exchange, exchange.isDirect);
    else atRevision(exchange, revisions);
  } catch (error) {
    refuse(exchange, error);
  }
}

/**
 * Begins the work once the revision is reached that the caller asks for: before the caller is authenticated, since a
 * credential may have been made or revoked by that revision.
 */
function atRevision(exchange: Exchange, revisions: Revisions): void {
  const { headers } = exchange.request;
  const revision = headers["x-svc-min-revision"] as string | undefined;
  const position = headers["x-svc-min-position"] as string | undefined;
  exchange.position = revisions.current();
  const waiting =
    revision === undefined && position === undefined ? undefined : revisions.reached({ revision, position });
  if (waiting === undefined) {
    authenticate(exchange, exchange.isDirect);
    return;
  }
  waiting
    .then(() => {
      exchange.position = revisions.current();
      authenticate(exchange, false);
    })
    .catch((error) => refuse(exchange, error));
}

/** @param direct whether the body may still be taken past the stream */
function authenticate(exchange: Exchange, direct: boolean): void {
  const caller: Caller | Promise<Caller> = exchange.route.api.authenticate(exchange);
  if (caller instanceof Promise) {
    // It may reject after the request was refused for want of a place.
    caller.catch(() => undefined);
    admit(exchange);
    caller.then((known) => authenticated(exchange, known, false)).catch((error) => refuse(exchange, error));
  } else authenticated(exchange, caller, direct);
}

/**
 * Refuses a request that could not be admitted. Most are admitted when they are handled, so that bodies which never arrive take no
 * places, and those that wait for the end of the turn, either. One whose caller has to be authorized is admitted now, and one
 * whose caller is not known at once until the caller is: there are never more of either under way than there are places.
 */
function expectPlace(exchange: Exchange, { priority, body, authorize: authorizes }: MountedRoute): void {
  if (priority === undefined) return;
  const needsItNow = body === undefined ? authorizes !== undefined : isStream(exchange, body);
  if (needsItNow) admit(exchange);
  else if (!exchange.server.admission.hasPlace(priority)) throw overloaded();
}

function isStream({ request }: Exchange, { stream }: RouteBody): boolean {
  return stream !== undefined && /x-ndjson/i.test(request.headers["content-type"] ?? "");
}

/** Admits a request, unless it is already. */
function admit(exchange: Exchange): void {
  const { priority } = exchange.route;
  if (priority === undefined || exchange.admitted) return;
  if (!exchange.server.admission.enter(priority)) throw overloaded();
  exchange.admitted = true;
}

/** Returns whether the body is read before the call is authorized. */
function looksAtBody({ authorizesBody, body }: MountedRoute): boolean {
  return authorizesBody === true && body !== undefined;
}

/** Finds out whether the caller may make the call. A refusal that rests on the directory is an answer of a mutation, too. */
function authorize(exchange: Exchange): void | Promise<void> {
  const { route, server } = exchange;
  const pending = route.authorize?.(exchange as never);
  const { revisions } = server;
  if (pending === undefined || revisions === undefined || !isMutation(route, exchange)) return pending;
  let first: Promise<void> | undefined = pending;
  return revisions.proving(
    exchange,
    () => {
      const asked = first ?? route.authorize?.(exchange as never);
      first = undefined;
      return asked;
    },
    "refusals",
  );
}

/** @param direct whether the body may still be taken past the stream */
function authenticated(exchange: Exchange, caller: Caller, direct: boolean): void {
  exchange.caller = caller;
  const { route } = exchange;
  const pending = looksAtBody(route) ? undefined : authorize(exchange);
  if (pending === undefined) receive(exchange, direct);
  else pending.then(() => receive(exchange, false)).catch((error) => refuse(exchange, error));
}

function receive(exchange: Exchange, direct: boolean): void {
  const { route } = exchange;
  const { body } = route;
  if (body === undefined) {
    // One that has a place waits for no end of the turn: others need it.
    if (exchange.admitted) run(exchange);
    else atTurnEnd(exchange, () => run(exchange));
    return;
  }
  const format = checkBodyHeaders(exchange.request.headers, body);
  if (format !== "ndjson" && Number(exchange.request.headers["content-length"] ?? 0) > body.maxBytes) {
    throw tooLarge(body.maxBytes);
  }
  // What was admitted to be authenticated holds no place while its body is awaited.
  if (!direct && format !== "ndjson") exchange.leave();
  if (body.arrivesWithinMs !== undefined) exchange.deadline = exchange.startedAt + body.arrivesWithinMs;
  if (format === "ndjson") underWay(exchange, stream(exchange, body));
  else if (route.heavy === true) underWay(exchange, inTurn(exchange, body));
  else receiveBody(exchange, body.maxBytes, direct, received, refuse);
}

/** A heavy request takes its turn when its body has arrived; while it waits, the body counts as under way. */
async function inTurn(exchange: Exchange, body: RouteBody): Promise<void> {
  const { response, server, caller } = exchange;
  const { signal } = exchange;
  const bytes = await readBody(exchange, body.maxBytes);
  admit(exchange);
  if (!server.admission.mayWait(caller.name)) throw overloaded();
  exchange.waiting = true;
  exchange.onFailure = (_exchange, error) => {
    // Its answer aborts the signal.
    refuse(exchange, error);
  };
  exchange.gathered = bytes;
  server.bodies.hold(exchange, bytes.length);
  try {
    await server.admission.acquire(caller.name, signal);
  } finally {
    exchange.releaseBody();
  }
  try {
    if (response.destroyed || exchange.answered) return;
    exchange.waiting = false;
    exchange.deadline = performance.now() + server.limits.requestTimeoutMs;
    await parse(exchange, bytes);
    const { route } = exchange;
    if (looksAtBody(route)) await authorize(exchange);
    await body.validate?.(exchange.body);
    const began = performance.now();
    complete(exchange, began, await handled(exchange, began));
  } finally {
    server.admission.release(caller.name);
  }
}

async function stream(exchange: Exchange, body: RouteBody): Promise<void> {
  exchange.continueIfAsked();
  await body.stream?.(exchange as never);
  finish(exchange, exchange.response.statusCode);
}

function received(exchange: Exchange, bytes: Buffer): void {
  atTurnEnd(exchange, () => {
    exchange.deadline = exchange.startedAt + exchange.server.limits.requestTimeoutMs;
    const pending = parse(exchange, bytes);
    if (pending === undefined) parsed(exchange);
    else pending.then(() => parsed(exchange)).catch((error) => refuse(exchange, error));
  });
}

/**
 * Admits a request and goes on with it when all that had arrived is read. The requests of a turn, handled in a row and then
 * answered in a row, cost less than between the reading and the writing of connections.
 */
function atTurnEnd(exchange: Exchange, work: () => void): void {
  const goOn = (): void => {
    // The caller has gone meanwhile.
    if (exchange.response.destroyed) return;
    try {
      admit(exchange);
      work();
    } catch (error) {
      refuse(exchange, error);
    }
  };
  const { span } = exchange;
  // Neither the end of a turn nor the parser, which hands a body over, is in the request's own context.
  turnEnd.add(span === undefined ? goOn : () => span.run(goOn));
}

function parsed(exchange: Exchange): void {
  const { route } = exchange;
  const pending = looksAtBody(route) ? authorize(exchange) : undefined;
  if (pending === undefined) run(exchange);
  else pending.then(() => run(exchange)).catch((error) => refuse(exchange, error));
}

/** Sets the parsed body; a promise where it is large. */
function parse(exchange: Exchange, bytes: Buffer): undefined | Promise<void> {
  const { parse: read } = exchange.route.body as RouteBody;
  const { jsonDepth: depth, jsonValues: values } = exchange.server.limits;
  const body = (read ?? parseJsonInTurns)(bytes, { depth, values });
  if (body instanceof Promise) {
    return body.then((value) => {
      exchange.body = value;
    });
  }
  exchange.body = body;
  return undefined;
}

/** Refuses what the work throws. The end of the server waits for the work, whether or not somebody waits for an answer. */
function underWay(exchange: Exchange, work: Promise<void>): void {
  exchange.server.calls.add(work.catch((error) => refuse(exchange, error)));
}

/** Throws what the handler throws at once. */
function run(exchange: Exchange): void {
  // The caller may have gone meanwhile.
  if (exchange.answered || exchange.request.socket.destroyed) return;
  exchange.route.body?.validate?.(exchange.body);
  const began = performance.now();
  const answered = handled(exchange, began);
  if (answered instanceof Promise) {
    underWay(
      exchange,
      answered.then((late) => complete(exchange, began, late)),
    );
  } else complete(exchange, began, answered);
}

/**
 * Runs the handler. The answer of a mutation rests on what it commits or on proof, and names the revision of that.
 * @param now milliseconds of `performance.now()`
 */
function handled(exchange: Exchange, now: number): Answer | Promise<Answer> {
  const { route, server } = exchange;
  const revisions = route.api === OPEN_API ? undefined : server.revisions;
  // While a body was awaited, others may have committed: a caller must not gain by sending its headers early.
  if (now - exchange.startedAt > AT_ONCE_MS) revisions?.current();
  if (revisions === undefined || !isMutation(route, exchange)) return route.handle(exchange as never);
  return revisions.proving(exchange, () => route.handle(exchange as never));
}

function complete(exchange: Exchange, began: number, answered: Answer): void {
  const { seconds } = exchange.route;
  if (seconds !== undefined) seconds.observe((performance.now() - began) / 1000);
  answer(exchange, answered);
}
