/** The end of an exchange: the one place where answers and errors are written, counted and logged. */

import type { ServerResponse } from "node:http";
import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { rememberLast } from "../remember-last.ts";
import { scheduler } from "../schedule/scheduler.ts";
import { drained } from "./drained.ts";
import { codeOf, type ErrorReply, errorReply } from "./errors.ts";
import { type Exchange, TRACE_RESPONSE } from "./exchange.ts";
import { endAtOnce, type Frame, headerLines } from "./fast/end-at-once.ts";
import { KEEP_ALIVE, NO_SNIFF } from "./limits.ts";
import { positionHeaders, revisionIn } from "./position-headers.ts";
import { type Answer, isMutation, type Reply, WRITTEN } from "./route.ts";

/** Writes an answer, unless there is one already. A text is the JSON of an answer 200. */
export function answer(exchange: Exchange, answered: Answer): void {
  if (exchange.answered) return;
  if (typeof answered === "string") {
    if (answered.length > LONG_BODY) reply(exchange, { status: 200, body: answered });
    else write(exchange, 200, frameOf(answered), answered, undefined);
  } else if (answered === WRITTEN) finish(exchange, exchange.response.statusCode);
  else reply(exchange, answered);
}

function reply(exchange: Exchange, given: Reply): void {
  const { status, body, bytes, type = JSON_TYPE, headers } = keepable(exchange, given);
  if (bytes !== undefined) {
    const described = ["Content-Type", type, "Content-Length", String(bytes.length)];
    write(
      exchange,
      status,
      { headers: described, lines: "", hasLength: false, encoding: "latin1" },
      bytes,
      headers,
    );
  } else if (body === undefined) write(exchange, status, withoutBody(status), undefined, headers);
  else write(exchange, status, type === JSON_TYPE ? frameOf(body) : frame(body, type), body, headers);
}

/** The answer, or a refusal in place of one that alone is more than the listener keeps: its connection would be closed. */
function keepable({ server, route }: Exchange, given: Reply): Reply {
  const bytes = given.body?.length ?? 0;
  if (bytes <= server.limits.answersBytes) return given;
  const message = `the answer has ${bytes} bytes, more than this listener keeps (authorizer.limits.answers_bytes)`;
  if (!isMutation(route))
    return errorReply(new AuthorizerError("invalid_request", `${message}: ask for less`));
  // It is no fault of the request, whose work is done.
  return errorReply(new AuthorizerError("unavailable", `${message}; what was to be written is written`));
}

/** Answers with an error, unless there is an answer already. What is left of the body is thrown away. */
export function refuse(exchange: Exchange, error: unknown): void {
  const { request, response, route } = exchange;
  if (request.socket.destroyed || exchange.answered) {
    exchange.leave();
    return;
  }
  if (route.whenStale !== undefined && isErrorCode(error, "stale") && !response.headersSent) {
    exchange.position = "";
    reply(exchange, route.whenStale());
    request.resume();
    return;
  }
  const refusal = route.api.refusal === undefined ? errorReply(error) : route.api.refusal(error, exchange);
  // Whoever is not authenticated learns nothing of how often the directory changes.
  if (refusal.status === 401 && exchange.caller.name === "") exchange.position = "";
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
  // The time in which the answer is to be taken.
  if (request.complete) exchange.deadline = now + server.limits.requestTimeoutMs;
  exchange.onAnswered?.(exchange);
  const milliseconds = now - exchange.startedAt;
  route.meter.answered(status, milliseconds / 1000);
  exchange.span?.answered({ status, caller: caller.name, revision: revisionIn(exchange.position) });
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

/** Characters of a body that count until they are taken; a shorter one holds less than its connection does. */
const COUNTED_BODY = 4096;

/** Characters of a body that are written at once. */
const LONG_BODY = 256 * 1024;

const JSON_TYPE = "application/json";
const NO_CONTENT: Frame = { headers: [], lines: "", hasLength: false, encoding: "latin1" };
const EMPTY: Frame = described(["Content-Length", "0"], "latin1");

/** ASCII, as nearly every answer is, leaves faster as Latin-1: the bytes are the same. */
function frame(body: string, type: string): Frame {
  const bytes = Buffer.byteLength(body);
  const headers = ["Content-Type", type, "Content-Length", String(bytes)];
  return described(headers, bytes === body.length ? "latin1" : "utf8");
}

function described(headers: readonly string[], encoding: Frame["encoding"]): Frame {
  return { headers, lines: headerLines(headers) as string, hasLength: true, encoding };
}

/** The headers that each answer has: name and value in turn. */
function headersOf({ requestId, position, response, span }: Exchange): string[] {
  const headers = ["X-Request-ID", requestId, ...NO_SNIFF];
  if (response.shouldKeepAlive) headers.push("Keep-Alive", KEEP_ALIVE);
  headers.push(...positionHeaders(position));
  if (span !== undefined) headers.push(TRACE_RESPONSE, span.traceParent);
  return headers;
}

const KEEP_ALIVE_LINE = `Keep-Alive: ${KEEP_ALIVE}\r\n${NO_SNIFF.join(": ")}\r\n`;
const positionLines = rememberLast((named: readonly string[]) => headerLines(named) as string);

/** The same headers as lines, of an answer whose connection stays open. */
function linesOf({ requestId, position, span }: Exchange): string {
  const ofPosition = positionLines(positionHeaders(position));
  const lines = `X-Request-ID: ${requestId}\r\n${KEEP_ALIVE_LINE}${ofPosition}`;
  return span === undefined ? lines : `${lines}${TRACE_RESPONSE}: ${span.traceParent}\r\n`;
}

function withoutBody(status: number): Frame {
  return status === 204 ? NO_CONTENT : EMPTY;
}

/** A body often is the one before, such as that of an allow. */
const frameOf = rememberLast((body: string) => frame(body, JSON_TYPE));

function write(
  exchange: Exchange,
  status: number,
  frame: Frame,
  body: string | Buffer | undefined,
  further: readonly string[] | undefined,
): void {
  const { response, server } = exchange;
  // A caller that still waits to be asked for its body may send it, or its next request: only it knows.
  if (server.stopping() || exchange.awaitsContinue) response.shouldKeepAlive = false;
  const common = server.answerHeaders();
  const others =
    further === undefined
      ? common
      : common.length === 0
        ? further
        : [...further, ...missingFrom(further, common)];
  const text = typeof body === "string" ? body : undefined;
  const isLong = text !== undefined && text.length > LONG_BODY;
  if (text !== undefined && text.length > COUNTED_BODY) exchange.holdAnswer(text.length);
  const lines = isLong || !server.shortcuts ? undefined : headerLines(others);
  if (lines === undefined || !endAtOnce(response, status, frame, linesOf(exchange) + lines, text)) {
    response.writeHead(status, [...frame.headers, ...headersOf(exchange), ...others]);
    if (body === undefined) response.end();
    else if (isLong) void endInPieces(response, text, frame.encoding);
    else response.end(body, frame.encoding);
  }
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
  if (error instanceof AuthorizerError) countMembers(error.problems, server.counters.refusedMembers);
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

/** Counts the members of policies that an error refuses. */
function countMembers(problems: readonly Problem[], refused: Map<string, number>): void {
  for (const { member } of problems)
    if (member !== undefined) refused.set(member, (refused.get(member) ?? 0) + 1);
}

function callerOf(name: string): { caller?: string } {
  return name === "" ? {} : { caller: name };
}

function peerOf({ peer }: Exchange): { peer?: string } {
  return peer === undefined ? {} : { peer };
}
