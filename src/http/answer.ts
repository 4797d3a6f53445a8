/** The end of an exchange: the one place where answers and errors are written, counted and logged. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { AuthorizerError } from "../errors.ts";
import { codeOf, errorReply } from "./errors.ts";
import { type Exchange, NOBODY } from "./exchange.ts";
import { makeRequestId, requestId } from "./request-id.ts";
import type { ServiceRequest } from "./service-request.ts";

/** Answers 200 with a JSON text, unless there is an answer already. */
export function answer(request: ServiceRequest, exchange: Exchange, body: string): void {
  write(request, exchange, 200, body, undefined);
}

/** Answers with an error, unless there is an answer already. What is left of the body is thrown away. */
export function refuse(request: ServiceRequest, exchange: Exchange, error: unknown): void {
  if (request.socket.destroyed || exchange.answered) {
    exchange.leave();
    return;
  }
  const { status, body, headers, errorId } = errorReply(error);
  if (exchange.requestId === "" && status !== 400) exchange.requestId = makeRequestId();
  record(request, exchange, status, errorId, error);
  if (exchange.response.headersSent) {
    exchange.answered = true;
    exchange.leave();
    request.socket.destroy();
    return;
  }
  write(request, exchange, status, body, headers);
  request.resume();
}

/** Answers with an error where there is no exchange: routes without a token and requests without a route. */
export function writeError(response: ServerResponse, error: unknown): string | undefined {
  const { status, body, headers, errorId } = errorReply(error);
  const sent = requestId(response.req?.headers["x-request-id"] as string | undefined, false);
  response.writeHead(status, [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(Buffer.byteLength(body)),
    ...(sent === "" ? [] : ["X-Request-ID", sent]),
    ...headers,
  ]);
  response.end(body);
  return errorId;
}

/** Counts and logs an answer that is written. */
export function finish(request: ServiceRequest, exchange: Exchange, status: number): void {
  exchange.answered = true;
  exchange.leave();
  const { edge, route, access, requestId } = exchange;
  const milliseconds = performance.now() - request.startedAt;
  route.meter.answered(status, milliseconds / 1000);
  if (!edge.log.requests) return;
  edge.log.request({
    request_id: requestId,
    method: request.method as string,
    path: route.path,
    status,
    duration_ms: milliseconds,
    ...callerOf(access.name),
    ...peerOf(request),
  });
}

/** What goes around a body. ASCII, as nearly every answer is, leaves faster as Latin-1; the bytes are the same. */
interface Frame {
  readonly body: string;
  readonly headers: string[];
  readonly encoding: "latin1" | "utf8";
}

function frame(body: string): Frame {
  const bytes = Buffer.byteLength(body);
  return {
    body,
    headers: ["Content-Type", "application/json", "Content-Length", String(bytes)],
    encoding: bytes === body.length ? "latin1" : "utf8",
  };
}

function withoutBody(status: number): Pick<Frame, "headers" | "encoding"> {
  return { headers: status === 204 ? [] : ["Content-Length", "0"], encoding: "latin1" };
}

let last = frame("");

/** The frame of the last body serves again when the next is the same, as that of an allow often is. */
function frameOf(body: string): Frame {
  if (body !== last.body) last = frame(body);
  return last;
}

/**
 * Writes an answer, unless there is one already.
 * @param body JSON text; undefined for an answer without body, which then has no content type either
 * @param further headers, name and value in turn
 */
export function write(
  request: ServiceRequest,
  exchange: Exchange,
  status: number,
  body: string | undefined,
  further: readonly string[] | undefined,
): void {
  if (exchange.answered) return;
  const { response, requestId } = exchange;
  const { headers, encoding } = body === undefined ? withoutBody(status) : frameOf(body);
  const more = requestId === "" ? further : ["X-Request-ID", requestId, ...(further ?? [])];
  // A caller that still waits to be asked for its body may send it, or its next request: only it knows.
  if (exchange.edge.stopping() || request.awaitsContinue) response.shouldKeepAlive = false;
  response.writeHead(status, more === undefined ? headers : [...headers, ...more]);
  if (body === undefined) response.end();
  else response.end(body, encoding);
  finish(request, exchange, status);
}

function record(
  request: ServiceRequest,
  exchange: Exchange,
  status: number,
  errorId: string | undefined,
  error: unknown,
): void {
  const { edge, route, access, requestId: request_id } = exchange;
  edge.counters.errors[codeOf(error)]++;
  if (errorId !== undefined) {
    edge.log.failure({ error_id: errorId, request_id, path: route.path, error });
  }
  if (status !== 401 && status !== 403) return;
  edge.log.refused({
    request_id,
    path: route.path,
    status,
    message: error instanceof AuthorizerError ? error.message : "",
    ...callerOf(access === NOBODY ? "" : access.name),
    ...peerOf(request),
  });
}

function callerOf(name: string): { caller?: string } {
  return name === "" ? {} : { caller: name };
}

function peerOf(request: IncomingMessage): { peer?: string } {
  const peer = request.socket.remoteAddress;
  return peer === undefined ? {} : { peer };
}
