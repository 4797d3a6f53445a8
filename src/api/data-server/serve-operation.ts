/** One call of an operation, from the headers of its request to its answer. */

import type { ServerResponse } from "node:http";
import { AuthorizerError, isErrorCode } from "../../errors.ts";
import { overloaded } from "../../http/admission.ts";
import { refuse, write } from "../../http/answer.ts";
import { readBody } from "../../http/body.ts";
import { invalidRequest, RequestRefused } from "../../http/errors.ts";
import { type Edge, Exchange, NOBODY } from "../../http/exchange.ts";
import { parseJsonBody } from "../../http/json-body.ts";
import type { HttpLimits } from "../../http/limits.ts";
import { bodyFormat, refuseCoding } from "../../http/media-type.ts";
import { makeRequestId } from "../../http/request-id.ts";
import { type Access, requireScope } from "../../http/scopes.ts";
import { continueIfAsked, type ServiceRequest } from "../../http/service-request.ts";
import type { MountedOperation, Reply } from "./operation.ts";
import { Query } from "./query.ts";

/** Faults that a message names. */
const MAX_PROBLEMS = 10;

type OperationExchange = Exchange<MountedOperation>;

/** Serves a request. Never throws. */
export function serveOperation(
  edge: Edge,
  operation: MountedOperation,
  params: readonly string[],
  request: ServiceRequest,
  response: ServerResponse,
): void {
  const exchange = new Exchange(edge, operation, request, response);
  // Data servers send no id on start-up and S3 calls, and every write is audited with one.
  if (exchange.requestId === "") exchange.requestId = makeRequestId();
  request.exchange = exchange;
  const failed = (error: unknown): void => refuse(request, exchange, withPlainMessage(error));
  try {
    const access = operation.scope === undefined ? NOBODY : edge.bearer.verify(request);
    if (access instanceof Promise) {
      access.then((known) => admit(request, exchange, params, known, failed)).catch(failed);
    } else admit(request, exchange, params, access, failed);
  } catch (error) {
    failed(error);
  }
}

/**
 * An error as this API answers it. A client takes 409 for "is there already", which a lost race is not; it may try
 * again. Error bodies have a message and nothing else, so that names every faulty field.
 */
export function withPlainMessage(error: unknown): unknown {
  if (isErrorCode(error, "conflict")) {
    return new AuthorizerError("unavailable", error.message, { cause: error, retryAfterSeconds: 1 });
  }
  if (!isErrorCode(error, "invalid_request") || error.problems.length === 0) return error;
  const shown = error.problems.slice(0, MAX_PROBLEMS).map(({ pointer, message }) => {
    return pointer === "" ? message : `${pointer}: ${message}`;
  });
  const more = error.problems.length - shown.length;
  return new AuthorizerError("invalid_request", [...shown, ...(more > 0 ? [`${more} more`] : [])].join("; "));
}

function admit(
  request: ServiceRequest,
  exchange: OperationExchange,
  params: readonly string[],
  access: Access,
  failed: (error: unknown) => void,
): void {
  const { edge, route } = exchange;
  exchange.access = access;
  if (route.scope !== undefined) requireScope(access, route.scope);
  if (!edge.admission.enter(route.priority)) throw overloaded();
  exchange.inside = true;
  if (route.takesBody) {
    receiveJson(request, exchange.response, edge.limits)
      .then((body) => run(request, exchange, params, body, failed))
      .catch(failed);
  } else run(request, exchange, params, undefined, failed);
}

/** The JSON body of a request; throws "invalid_request", 413 or 415. */
export async function receiveJson(
  request: ServiceRequest,
  response: ServerResponse,
  { bodyBytes, jsonDepth }: Pick<HttpLimits, "bodyBytes" | "jsonDepth">,
): Promise<unknown> {
  const { headers } = request;
  if (bodyFormat(headers["content-type"]) !== "json") {
    throw invalidRequest([], "Content-Type must be application/json, in UTF-8");
  }
  if (headers["content-encoding"] !== undefined) refuseCoding(headers["content-encoding"]);
  const tooLarge = () => new RequestRefused(413, `the body is larger than ${bodyBytes} bytes`);
  if (Number(headers["content-length"] ?? 0) > bodyBytes) throw tooLarge();
  continueIfAsked(request, response);
  return parseJsonBody(await readBody(request, bodyBytes, tooLarge), jsonDepth);
}

function run(
  request: ServiceRequest,
  exchange: OperationExchange,
  params: readonly string[],
  body: unknown,
  failed: (error: unknown) => void,
): void {
  if (exchange.answered) return;
  const { access, requestId, route } = exchange;
  const query = new Query(exchange.query);
  const peer = request.socket.remoteAddress;
  const reply = route.answer({ params, query, body, access, requestId, peer });
  const send = ({ status, body: text, headers }: Reply) => write(request, exchange, status, text, headers);
  if (reply instanceof Promise) reply.then(send).catch(failed);
  else send(reply);
}
