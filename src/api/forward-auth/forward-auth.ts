/**
 * `/forward-auth`: proxies ask whether a request may pass (spec/security §2). Everything below the path comes here, for
 * all methods, on the raw request target and before any router; nothing but `answers.ts` makes a 2xx.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { HttpCounters, HttpLog } from "../../http/ports.ts";
import { clientAddress, type TrustedProxies } from "../../http/request/client-address.ts";
import type { Api, Caller, MountedRoute, RawCall, Reply } from "../../http/route.ts";
import type { KnownSecret } from "../../identity/secret-comparison.ts";
import type { DecisionMeters } from "../decisions/ports.ts";
import { answerOf } from "./answers.ts";
import { type AskedRequest, decideRequest, type RequestDecisionOptions } from "./decide-request.ts";
import { BASE, ERROR_PATH, originalRequest, type ProxyKind, splitUri } from "./proxies.ts";
import { handedOn, refusalPage } from "./refusals.ts";
import { RequestHeaders } from "./request-headers.ts";

/** Options of forward-auth. */
export interface ForwardAuthOptions extends RequestDecisionOptions {
  /** `authorizer.forward_auth.proxy`. */
  readonly proxy: ProxyKind | "off";
  /** `authorizer.forward_auth.proxy_token`. */
  readonly proxyToken: KnownSecret | undefined;
  /** `authorizer.trusted_proxies`. */
  readonly trusted: TrustedProxies;
}

/** Ports for counting and logging. */
interface ForwardAuthServing {
  readonly counters: HttpCounters & DecisionMeters;
  readonly log: HttpLog;
}

const TOKEN_HEADER = "x-svc-proxy-token";

/** A trusted proxy, with the headers of its request. */
export interface CallingProxy extends Caller {
  readonly address: string;
  readonly headers: RequestHeaders;
}

/** The route of a raw request target; undefined for a target of another API. */
type ForwardAuthClaim = (target: string) => MountedRoute | undefined;

/** Builds the routes: one for subrequests, one for the error page that nginx asks for. */
export function forwardAuthClaim(options: ForwardAuthOptions, serving: ForwardAuthServing): ForwardAuthClaim {
  const api: Api<CallingProxy> = { authenticate: (call) => trustedProxy(options, call) };
  const shared = { method: "GET", path: BASE, api, meter: serving.counters.route("*", BASE) } as const;
  const decision: MountedRoute = {
    ...shared,
    priority: "hot",
    seconds: serving.counters.decisionSeconds.forward_auth,
    handle: (call: RawCall<CallingProxy>) => decide(options, serving, call),
  };
  const errorPage: MountedRoute = { ...shared, handle: errorBody };
  return (target) => {
    if (!isForwardAuth(target)) return undefined;
    return target === ERROR_PATH && options.proxy === "nginx" ? errorPage : decision;
  };
}

/**
 * True for targets below the path. No proxy asks in absolute form: a target in that form which names the path anywhere
 * comes here too, is no subrequest of any proxy, and so is refused.
 */
function isForwardAuth(target: string): boolean {
  return target.startsWith(BASE) || (!target.startsWith("/") && target.includes(BASE));
}

/** The proxy that asks. */
function trustedProxy(options: ForwardAuthOptions, call: RawCall): CallingProxy {
  if (options.proxy === "off") throw notAllowed("forward-auth is off: set authorizer.forward_auth.proxy");
  return callingProxy(options, call);
}

/** The proxy that calls; throws "not_allowed" for a peer that is none. */
export function callingProxy(
  { proxyToken, trusted, exchange }: Pick<ForwardAuthOptions, "proxyToken" | "trusted" | "exchange">,
  { request, peer }: Pick<RawCall, "request" | "peer">,
): CallingProxy {
  const headers = new RequestHeaders(request.rawHeaders, request.headers);
  if (peer === undefined || !trusted.has(peer)) throw notAllowed("this peer is no trusted proxy");
  const shown = headers.single(TOKEN_HEADER);
  if (proxyToken !== undefined && (shown === undefined || !proxyToken.isSame(shown))) {
    throw notAllowed("the proxy token is missing or wrong");
  }
  // Without a token, whoever reaches the port from a trusted address would get the data server's key.
  if (exchange !== undefined && proxyToken === undefined) throw notAllowed("an exchange needs a proxy token");
  if (headers.tooMany) throw notAllowed("the request has too many headers");
  return { name: "", address: peer, headers };
}

function decide(
  options: ForwardAuthOptions,
  serving: ForwardAuthServing,
  call: RawCall<CallingProxy>,
): Reply | Promise<Reply> {
  const { headers, address } = call.caller;
  const { method = "", url: target = "" } = call.request;
  const original = originalRequest(options.proxy as ProxyKind, { method, target, headers });
  if (original === undefined) {
    throw notAllowed(`the headers do not describe the client's request as ${options.proxy} does`);
  }
  const source = clientAddress(options.trusted, address, headers.get("x-forwarded-for"));
  if (source === undefined) throw notAllowed("X-Forwarded-For holds something that is no address");
  const asked: AskedRequest = { original, headers, source, requestId: call.requestId, call };
  const outcome = decideRequest(options, asked);
  const told = { log: serving.log, entrance: BASE, proxy: options.proxy as ProxyKind };
  if (outcome instanceof Promise) return outcome.then((late) => answerOf(late, asked, told));
  return answerOf(outcome, asked, told);
}

/** The body of a refusal that nginx received in the headers of a subrequest. */
function errorBody({ caller: { headers }, requestId }: RawCall<CallingProxy>): Reply {
  const refusal = handedOn((name) => headers.single(name));
  const [resource] = splitUri(headers.single("x-original-uri") ?? "/");
  const id = headers.single("x-svc-decision-id") ?? requestId;
  return refusalPage(refusal, { resource, id });
}

function notAllowed(message: string): AuthorizerError {
  return new AuthorizerError("not_allowed", message);
}
