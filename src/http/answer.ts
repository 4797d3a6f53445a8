/** The end of an exchange: the one place where answers and errors are written, counted and logged. */

import type { ServerResponse } from "node:http";
import { AuthorizerError } from "../errors.ts";
import { scheduler } from "../schedule/scheduler.ts";
import { drained } from "./drained.ts";
import { codeOf, type ErrorReply, errorReply } from "./errors.ts";
import { type Exchange, TRACE_RESPONSE } from "./exchange.ts";
import { KEEP_ALIVE } from "./limits.ts";
import { type Answer, type Reply, WRITTEN } from "./route.ts";

/** Writes an answer, unless there is one already. A text is the JSON of an answer 200. */
export function answer(exchange: Exchange, answered: Answer): void {
  if (exchange.answered) return;
  if (typeof answered === "string") write(exchange, 200, frameOf(answered), answered, undefined);
  else if (answered === WRITTEN) finish(exchange, exchange.response.statusCode);
  else reply(exchange, answered);
}

function reply(exchange: Exchange, { status, body, type, headers }: Reply): void {
  if (body === undefined) write(exchange, status, withoutBody(status), undefined, headers);
  else write(exchange, status, type === undefined ? frameOf(body) : frame(body, type), body, headers);
}

/** Answers with an error, unless there is an answer already. What is left of the body is thrown away. */
export function refuse(exchange: Exchange, error: unknown): void {
  const { request, response, route } = exchange;
  if (request.socket.destroyed || exchange.answered) {
    exchange.leave();
    return;
  }
  const refusal = route.api.refusal === undefined ? errorReply(error) : route.api.refusal(error, exchange);
  // Whoever is not authenticated learns nothing of how often the directory changes.
  if (refusal.status === 401 && exchange.caller.name === "") exchange.revision = "";
  record(exchange, refusal, error);
  if (response.headersSent) {
    exchange.answered = true;
    exchange.leave();
    request.socket.destroy();
    return;
  }
  reply(exchange, refusal);
  request.resume();
}

/** Counts and logs an answer that is written. */
export function finish(exchange: Exchange, status: number): void {
  exchange.answered = true;
  exchange.leave();
  const { server, route, caller, request, requestId } = exchange;
  const now = performance.now();
  exchange.endedAt = now;
  const milliseconds = now - exchange.startedAt;
  route.meter.answered(status, milliseconds / 1000);
  exchange.span?.answered({ status, caller: caller.name, revision: exchange.revision });
  if (!server.log.requests) return;
  server.log.request({
    request_id: requestId,
    method: request.method as string,
    path: route.shownPath ?? route.path,
    status,
    duration_ms: milliseconds,
    ...callerOf(caller.name),
    ...peerOf(exchange),
  });
}

/**
 * The headers and the encoding of a body. ASCII, as nearly every answer is, leaves faster as Latin-1: the bytes are
 * the same.
 */
interface Frame {
  /** Undefined where there is no body. */
  readonly type: string | undefined;
  /** Undefined where there can be no body. */
  readonly length: string | undefined;
  readonly encoding: "latin1" | "utf8";
}

/** Characters of a body that are written at once. */
const LONG_BODY = 256 * 1024;

const JSON_TYPE = "application/json";
const NO_CONTENT: Frame = { type: undefined, length: undefined, encoding: "latin1" };
const EMPTY: Frame = { type: undefined, length: "0", encoding: "latin1" };

function frame(body: string, type: string): Frame {
  const bytes = Buffer.byteLength(body);
  return { type, length: String(bytes), encoding: bytes === body.length ? "latin1" : "utf8" };
}

/** Name and value in turn. */
function headersOf({ type, length }: Frame, { requestId, revision, response, span }: Exchange): string[] {
  const stays = response.shouldKeepAlive;
  // In one go: nearly every answer comes here.
  if (type !== undefined && length !== undefined && stays && revision !== "" && span === undefined) {
    // biome-ignore format: names with their values
    return ["Content-Type", type, "Content-Length", length, "X-Request-ID", requestId, "Keep-Alive", KEEP_ALIVE, "X-Svc-Revision", revision];
  }
  const headers = ["X-Request-ID", requestId];
  if (type !== undefined) headers.push("Content-Type", type);
  if (length !== undefined) headers.push("Content-Length", length);
  if (stays) headers.push("Keep-Alive", KEEP_ALIVE);
  if (revision !== "") headers.push("X-Svc-Revision", revision);
  if (span !== undefined) headers.push(TRACE_RESPONSE, span.traceParent);
  return headers;
}

function withoutBody(status: number): Frame {
  return status === 204 ? NO_CONTENT : EMPTY;
}

let lastBody = "";
let lastFrame = frame("", JSON_TYPE);

/** The frame of the last body serves again when the next is the same, as that of an allow often is. */
function frameOf(body: string): Frame {
  if (body !== lastBody) {
    lastBody = body;
    lastFrame = frame(body, JSON_TYPE);
  }
  return lastFrame;
}

function write(
  exchange: Exchange,
  status: number,
  frame: Frame,
  body: string | undefined,
  further: readonly string[] | undefined,
): void {
  const { response, server } = exchange;
  // A caller that still waits to be asked for its body may send it, or its next request: only it knows.
  if (server.stopping() || exchange.awaitsContinue) response.shouldKeepAlive = false;
  const own = headersOf(frame, exchange);
  if (further !== undefined) own.push(...further);
  const common = server.answerHeaders();
  if (common.length > 0) own.push(...(further === undefined ? common : missingFrom(own, common)));
  response.writeHead(status, own);
  if (body === undefined) response.end();
  else if (body.length > LONG_BODY) void endInPieces(response, body, frame.encoding);
  else response.end(body, frame.encoding);
  finish(exchange, status);
}

/** Writes a long body in turns with other work: copying all of it at once would hold up others. */
async function endInPieces(response: ServerResponse, body: string, encoding: BufferEncoding): Promise<void> {
  for (let start = 0; start < body.length; ) {
    if (start > 0) await scheduler.turn();
    if (response.destroyed) return;
    let end = Math.min(body.length, start + LONG_BODY);
    // A piece never ends within a character.
    if (end < body.length && isHighSurrogate(body.charCodeAt(end - 1))) end++;
    if (!response.write(body.slice(start, end), encoding)) await drained(response);
    start = end;
  }
  response.end();
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** The common headers of which an answer has none of its own. */
function missingFrom(own: readonly string[], common: readonly string[]): readonly string[] {
  const names = new Set(own.filter((_text, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return common.filter((_text, index) => !names.has((common[index - (index % 2)] as string).toLowerCase()));
}

function record(exchange: Exchange, { status, errorId, recorded }: ErrorReply, error: unknown): void {
  const { server, route, caller, requestId: request_id } = exchange;
  const path = route.shownPath ?? route.path;
  server.counters.errors[codeOf(error)]++;
  if (errorId !== undefined) server.log.failure({ error_id: errorId, request_id, path, error });
  if (recorded === true || (status !== 401 && status !== 403)) return;
  server.log.refused({
    request_id,
    path,
    status,
    message: error instanceof AuthorizerError ? error.message : "",
    ...callerOf(caller.name),
    ...peerOf(exchange),
  });
}

function callerOf(name: string): { caller?: string } {
  return name === "" ? {} : { caller: name };
}

function peerOf({ peer }: Exchange): { peer?: string } {
  return peer === undefined ? {} : { peer };
}
