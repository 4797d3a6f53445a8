/**
 * One call of the management API, from the headers of its request to its answer. The order is the reference's:
 * who calls, may they, is the call well formed, does what it names exist.
 */

import type { ServerResponse } from "node:http";
import { type AuthorizerError, isErrorCode } from "../../errors.ts";
import { overloaded } from "../../http/admission.ts";
import { refuse, write } from "../../http/answer.ts";
import type { TrustedProxies } from "../../http/client-address.ts";
import { errorBody, RequestRefused } from "../../http/errors.ts";
import { Exchange, type ListenerEdge } from "../../http/exchange.ts";
import { makeRequestId } from "../../http/request-id.ts";
import type { ServiceRequest } from "../../http/service-request.ts";
import type { Identities } from "../../identity/identity.ts";
import type { AuditEvents } from "../../observe/audit-port.ts";
import { Query } from "../data-server/query.ts";
import { receiveJson } from "../data-server/serve-operation.ts";
import { refuseCrossSite } from "./cross-site.ts";
import type { ManagementOperation, ManagementReply, Mounted, OpenCall, UserOperation } from "./operation.ts";
import { askedBy, type PermissionParts, PermissionRefused, requirePermission } from "./permissions.ts";
import { AuthenticationFailed, authenticate, isSecure, type Proof, proofOf } from "./proof.ts";
import { inReferenceWords } from "./reference-errors.ts";

/** What serving needs. */
export interface ServingParts extends PermissionParts {
  readonly edge: ListenerEdge;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  /** Origins under which the listener is known. */
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
}

type ManagementExchange = Exchange<Mounted>;

/** Browsers ask people for a password when they are challenged for Basic, and send it along by themselves later. */
const CHALLENGE: readonly string[] = ["WWW-Authenticate", "Bearer"];
const NO_SCOPES: ReadonlySet<never> = new Set();

/** Serves a request. Never throws. */
export function serveManagement(
  parts: ServingParts,
  operation: Mounted,
  params: readonly string[],
  request: ServiceRequest,
  response: ServerResponse,
): void {
  const exchange: ManagementExchange = new Exchange(parts.edge, operation, request, response);
  if (exchange.requestId === "") exchange.requestId = makeRequestId();
  request.exchange = exchange;
  run(parts, exchange, params, request).catch((error) => fail(parts, exchange, request, error));
}

async function run(
  parts: ServingParts,
  exchange: ManagementExchange,
  params: readonly string[],
  request: ServiceRequest,
): Promise<void> {
  const { route: operation } = exchange;
  if (!parts.edge.admission.enter("bulk")) throw overloaded();
  exchange.inside = true;
  const proof = operation.access === "open" ? undefined : proofOf(request);
  refuseCrossSite(request, {
    withCookie: proof?.kind === "token" && proof.fromCookie,
    secure: isSecure(request, parts.proxies),
    publicOrigins: parts.publicOrigins,
  });
  const sourceIp = parts.proxies.clientOf(request);
  // Conditions on the address could not be evaluated, and a deny among them would be passed by.
  if (sourceIp === undefined) throw new RequestRefused(400, "nobody can tell the address of the client");
  const call: OpenCall = {
    params,
    query: new Query(exchange.query),
    body: undefined,
    requestId: exchange.requestId,
    sourceIp,
    request,
  };
  const { status, body, headers } =
    operation.access === "open"
      ? await operation.answer(await withBody(parts, operation, call, exchange))
      : await answerUser(parts, operation, call, exchange, proof);
  write(request, exchange, status, body, joined(headers));
}

/** Headers with one line for each name: beside headers that were set before, Node keeps the last of several. */
function joined(headers: readonly string[] = []): readonly string[] {
  const values = new Map<string, string>();
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    const former = values.get(name);
    values.set(name, former === undefined ? value : `${former}, ${value}`);
  }
  return [...values].flat();
}

async function answerUser(
  parts: ServingParts,
  operation: UserOperation,
  call: OpenCall,
  exchange: ManagementExchange,
  proof: Proof | undefined,
): Promise<ManagementReply> {
  if (proof === undefined) throw new AuthenticationFailed();
  const identity = await authenticate(parts.identities, proof, call.sourceIp);
  exchange.access = { name: identity.username, scopes: NO_SCOPES };
  if (operation.access === "user") {
    return operation.answer({ ...(await withBody(parts, operation, call, exchange)), identity });
  }
  const bodyFirst = operation.values !== undefined;
  const asked = bodyFirst ? await withBody(parts, operation, call, exchange) : call;
  const whole = { ...asked, identity };
  await requirePermission(parts, askedBy(operation, whole), whole);
  if (bodyFirst) return operation.answer(whole);
  return operation.answer({ ...(await withBody(parts, operation, call, exchange)), identity });
}

async function withBody(
  { edge }: ServingParts,
  { takesBody }: ManagementOperation,
  call: OpenCall,
  { response }: ManagementExchange,
): Promise<OpenCall> {
  return takesBody ? { ...call, body: await receiveJson(call.request, response, edge.limits) } : call;
}

function fail(
  parts: ServingParts,
  exchange: ManagementExchange,
  request: ServiceRequest,
  error: unknown,
): void {
  const { route } = exchange;
  const missing = route.access === "open" ? undefined : route.missing;
  if (error instanceof PermissionRefused) {
    const headers = error.status === 401 ? CHALLENGE : [];
    answerRefusal(parts, exchange, request, { error, status: error.status, headers });
  } else if (isErrorCode(error, "unauthenticated")) {
    auditFailure(parts, exchange, request, error);
    answerRefusal(parts, exchange, request, { error, ...challengeOf(error) });
  } else refuse(request, exchange, inReferenceWords(error, missing));
}

/** 401, or 429 after too many failures of one key and source (security.md §2.10). */
function challengeOf({ retryAfterSeconds }: AuthorizerError): Pick<Refusal, "status" | "headers"> {
  if (retryAfterSeconds === undefined) return { status: 401, headers: CHALLENGE };
  return { status: 429, headers: ["Retry-After", String(Math.max(1, Math.ceil(retryAfterSeconds)))] };
}

function auditFailure(
  { audit, proxies }: ServingParts,
  { requestId: request_id, route: { path } }: ManagementExchange,
  request: ServiceRequest,
  error: unknown,
): void {
  const key = error instanceof AuthenticationFailed ? error.accessKeyId : undefined;
  const source = proxies.clientOf(request);
  audit.event("authentication_failed", {
    request_id,
    path,
    ...(source === undefined ? {} : { source_ip: source }),
    ...(key === undefined ? {} : { access_key_id: key }),
  });
}

interface Refusal {
  readonly error: AuthorizerError;
  readonly status: 401 | 403 | 429;
  readonly headers: readonly string[];
}

/** What is left of the body is thrown away. */
function answerRefusal(
  { edge }: ServingParts,
  exchange: ManagementExchange,
  request: ServiceRequest,
  { error: { code, message }, status, headers }: Refusal,
): void {
  edge.counters.errors[code]++;
  write(request, exchange, status, errorBody(message), headers);
  request.resume();
}
