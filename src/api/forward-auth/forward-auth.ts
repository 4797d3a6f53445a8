/**
 * `/forward-auth`: proxies ask whether a request may pass (security.md §2). Everything below the path comes here, for
 * all methods, on the raw request target and before any router; nothing but `pass` writes a 2xx.
 */

import type { ServerResponse } from "node:http";
import { AuthorizerError } from "../../errors.ts";
import { overloaded } from "../../http/admission.ts";
import { finish, refuse } from "../../http/answer.ts";
import { clientAddress, type TrustedProxies } from "../../http/client-address.ts";
import { type Edge, Exchange, type Route } from "../../http/exchange.ts";
import { makeRequestId } from "../../http/request-id.ts";
import type { ServiceRequest } from "../../http/service-request.ts";
import type { Identity } from "../../identity/identity.ts";
import { KnownSecret } from "../../identity/secret-comparison.ts";
import { claimedKeyId } from "./claimed-key.ts";
import { type Judged, type Judgement, type JudgeOptions, judge, type Refused } from "./judge.ts";
import { BASE, ERROR_PATH, originalRequest, type ProxyKind, splitUri } from "./proxies.ts";
import { handedOn, type RefusalReply, refusalReply } from "./refusals.ts";
import { RequestHeaders } from "./request-headers.ts";

/** What forward-auth needs. */
export interface ForwardAuthOptions extends JudgeOptions {
  /** `authorizer.forward_auth.proxy`. */
  readonly proxy: ProxyKind | "off";
  /** `authorizer.forward_auth.proxy_token`. */
  readonly proxyToken: string | undefined;
  /** `authorizer.trusted_proxies`. */
  readonly trusted: TrustedProxies;
}

/** Serves a request if it is one of a proxy; false: somebody else may. */
export type ForwardAuthHandler = (request: ServiceRequest, response: ServerResponse) => boolean;

const TOKEN_HEADER = "x-svc-proxy-token";
/** What stands for nobody; no user's name is written so. */
const NOBODY_NAME = "-";
/** A name that a header can carry as it is. */
const PLAIN_NAME = /^(?!-$)[!-~]+$/;

/** Builds the handler. */
export function forwardAuthHandler(edge: Edge, options: ForwardAuthOptions): ForwardAuthHandler {
  const route: Route = { path: BASE, meter: edge.counters.route("*", BASE) };
  const proxyToken = options.proxyToken === undefined ? undefined : new KnownSecret(options.proxyToken);
  return (request, response) => {
    if (!isForwardAuth(request.url as string)) return false;
    const exchange = new Exchange(edge, route, request, response);
    if (exchange.requestId === "") exchange.requestId = makeRequestId();
    request.exchange = exchange;
    try {
      serve(options, proxyToken, request, exchange);
    } catch (error) {
      refuse(request, exchange, error);
    }
    return true;
  };
}

/** True for targets below the path, also in absolute form: no router may see them. */
function isForwardAuth(target: string): boolean {
  return target.startsWith(BASE) || (!target.startsWith("/") && target.includes(BASE));
}

function serve(
  options: ForwardAuthOptions,
  proxyToken: KnownSecret | undefined,
  request: ServiceRequest,
  exchange: Exchange,
): void {
  const { edge } = exchange;
  const headers = new RequestHeaders(request.rawHeaders);
  const peer = request.socket.remoteAddress;
  if (options.proxy === "off") throw notAllowed("forward-auth is off: set authorizer.forward_auth.proxy");
  if (peer === undefined || !options.trusted.has(peer)) throw notAllowed("this peer is no trusted proxy");
  const shown = headers.single(TOKEN_HEADER);
  if (proxyToken !== undefined && (shown === undefined || !proxyToken.isSame(shown))) {
    throw notAllowed("the proxy token is missing or wrong");
  }
  if (headers.tooMany) throw notAllowed("the request has too many headers");
  const target = request.url as string;
  if (target === ERROR_PATH && options.proxy === "nginx") {
    showRefusal(request, exchange, headers);
    return;
  }
  const original = originalRequest(options.proxy, { method: request.method as string, target, headers });
  if (original === undefined) {
    throw notAllowed(`the request of the client is not told as ${options.proxy} tells it`);
  }
  const source = clientAddress(options.trusted, peer, headers.get("x-forwarded-for"));
  if (source === undefined) throw notAllowed("X-Forwarded-For holds something that is no address");
  if (!edge.admission.enter("hot")) throw overloaded();
  exchange.inside = true;
  const began = performance.now();
  const end = (judgement: Judgement): void => {
    edge.counters.decisionSeconds.forward_auth.observe((performance.now() - began) / 1000);
    if (judgement.pass) pass(request, exchange, judgement.identity, judgement.id);
    else stop(request, exchange, judgement, judged);
  };
  const judged: Judged = { original, headers, source, requestId: exchange.requestId };
  const judgement = judge(options, judged);
  if (judgement instanceof Promise) {
    judgement.then(end).catch((error) => refuse(request, exchange, error));
  } else end(judgement);
}

/** The one place that writes a 2xx. */
function pass(request: ServiceRequest, exchange: Exchange, identity: Identity | undefined, id: string): void {
  send(request, exchange, 200, "", [
    "X-Svc-User",
    identity === undefined ? NOBODY_NAME : headerName(identity.username),
    "X-Svc-Decision-Id",
    id,
  ]);
}

/**
 * A user's name as a header can carry it: what is not printable ASCII is percent-encoded, and so is a name that would
 * read as nobody's. Names hold no `%` (security.md §3.0), so it can be decoded.
 */
function headerName(username: string): string {
  if (PLAIN_NAME.test(username)) return username;
  if (username === NOBODY_NAME) return "%2D";
  return username.toWellFormed().replace(/[^!-~]+/gu, (text) => encodeURIComponent(text));
}

function stop(
  request: ServiceRequest,
  exchange: Exchange,
  { refusal, id, identity }: Refused,
  { original, headers, source }: Judged,
): void {
  const { edge, requestId, route } = exchange;
  const { status, message } = refusal;
  const [path, query] = splitUri(original.uri);
  if (identity === undefined) {
    const key = claimedKeyId(headers, query);
    edge.log.refused({
      request_id: requestId,
      path: route.path,
      status,
      message,
      peer: source,
      ...(key === undefined ? {} : { access_key_id: key }),
    });
  }
  const reply = refusalReply(refusal, { resource: path, id: id === "" ? requestId : id });
  sendRefusal(request, exchange, reply, id === "" ? [] : ["X-Svc-Decision-Id", id]);
}

/** The body of a refusal that nginx was told in the headers of a subrequest. */
function showRefusal(request: ServiceRequest, exchange: Exchange, headers: RequestHeaders): void {
  const refusal = handedOn((name) => headers.single(name));
  const [resource] = splitUri(headers.single("x-original-uri") ?? "/");
  const id = headers.single("x-svc-decision-id") ?? exchange.requestId;
  sendRefusal(request, exchange, refusalReply(refusal, { resource, id }), []);
}

function sendRefusal(
  request: ServiceRequest,
  exchange: Exchange,
  { status, body, headers }: RefusalReply,
  further: readonly string[],
): void {
  send(request, exchange, status, body, [...headers, ...further]);
}

function send(
  request: ServiceRequest,
  exchange: Exchange,
  status: 200 | 401 | 403,
  body: string,
  headers: readonly string[],
): void {
  const { response, requestId, edge } = exchange;
  if (exchange.answered) return;
  // A body, which proxies are told not to send, is not read: node throws it away once the answer is written.
  if (edge.stopping() || request.awaitsContinue) response.shouldKeepAlive = false;
  response.writeHead(status, [
    "Content-Length",
    String(Buffer.byteLength(body)),
    "X-Request-ID",
    requestId,
    ...headers,
  ]);
  response.end(body);
  finish(request, exchange, status);
}

function notAllowed(message: string): AuthorizerError {
  return new AuthorizerError("not_allowed", message);
}
