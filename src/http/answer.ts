/** The end of an exchange: the one place where answers and errors are written, counted and logged. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { AuthorizerError } from "../errors.ts";
import { codeOf, errorReply } from "./errors.ts";
import { type Exchange, NOBODY } from "./exchange.ts";
import { makeRequestId } from "./request-id.ts";
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
  response.writeHead(status, [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(Buffer.byteLength(body)),
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

function write(
  request: ServiceRequest,
  exchange: Exchange,
  status: number,
  body: string,
  further: readonly string[] | undefined,
): void {
  if (exchange.answered) return;
  const { response, requestId } = exchange;
  const headers = ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))];
  if (requestId !== "") headers.push("X-Request-ID", requestId);
  if (further !== undefined) headers.push(...further);
  // A caller that still waits to be asked for its body may send it, or its next request: only it knows.
  if (exchange.edge.stopping() || request.awaitsContinue) response.shouldKeepAlive = false;
  response.writeHead(status, headers);
  response.end(body);
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
