/**
 * `Check` of Envoy's external authorization (spec/security §2.12): the same judgement as `/forward-auth`, asked and
 * answered in messages. A pass is made from a 200 of forward-auth alone.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { AskingCall } from "../../decisions/decision-log.ts";
import { errorReply } from "../../http/errors.ts";
import type { HttpLog } from "../../http/ports.ts";
import type { TrustedProxies } from "../../http/request/client-address.ts";
import type { Reply } from "../../http/route.ts";
import type { KnownSecret } from "../../identity/secret-comparison.ts";
import { answerOf } from "../forward-auth/answers.ts";
import { decideRequest, type RequestDecisionOptions } from "../forward-auth/decide-request.ts";
import { headersForClients } from "../forward-auth/refusals.ts";
import { requireScope, type ServiceCaller } from "../service-caller.ts";
import { askedRequest } from "./asked-request.ts";
import { AUTHORIZATION, type CheckRequest, type CheckResponse, type HeaderValueOption } from "./messages.ts";

/** Path of the call, for logs, metrics and traces. */
export const CHECK_PATH = `/${AUTHORIZATION}/Check`;

/** Parts of the judgement. */
export interface ExtAuthzOptions extends RequestDecisionOptions {
  /** `authorizer.trusted_proxies`. */
  readonly trusted: TrustedProxies;
  /** `authorizer.forward_auth.proxy_token`; calls need it where there is an exchange. */
  readonly proxyToken?: KnownSecret | undefined;
}

/** A call of Envoy. */
export interface CheckCall extends AskingCall {
  readonly requestId: string;
  readonly caller: ServiceCaller;
  /** The metadata `x-svc-proxy-token`. */
  readonly proxyToken: string | undefined;
}

/** Headers of proxies, which never reach the server behind. */
const REMOVED = ["x-svc-proxy-token", "x-svc-error", "x-svc-reason"];
/** Credentials of clients, which a data server with one key never gets. */
const CREDENTIALS = ["cookie", "x-amz-security-token"];
const AUTHORIZATION_HEADER = "authorization";
/** That of a client goes where there is none, as for preflights. */
const DECISION_HEADER = "x-svc-decision-id";
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/**
 * Decides.
 * @throws AuthorizerError "not_allowed" for a caller or a call that is refused, other errors where no decision is
 * possible; at once or by rejection
 */
export function check(
  options: ExtAuthzOptions,
  log: HttpLog,
  request: CheckRequest,
  call: CheckCall,
): Reply | Promise<Reply> {
  if (!options.trusted.has(call.peer)) {
    throw new AuthorizerError("not_allowed", "this peer is no trusted proxy");
  }
  requireScope(call.caller, "decide");
  requireProxyToken(options, call.proxyToken);
  const asked = askedRequest(request, call.requestId, call);
  const outcome = decideRequest(options, asked);
  const told = { log, entrance: CHECK_PATH, proxy: "envoy" } as const;
  if (outcome instanceof Promise) return outcome.then((late) => answerOf(late, asked, told));
  return answerOf(outcome, asked, told);
}

/** With an exchange, an answer carries the data server's key: the scope `decide` alone gets none (spec/exchange §2). */
function requireProxyToken({ exchange, proxyToken }: ExtAuthzOptions, shown: string | undefined): void {
  if (exchange === undefined) return;
  if (proxyToken === undefined || shown === undefined || !proxyToken.isSame(shown)) {
    throw new AuthorizerError("not_allowed", "the proxy token in the metadata is missing or wrong");
  }
}

/**
 * A refused caller or call, as the client sees it: always 403, so that a faulty configuration of Envoy never looks like a
 * failure, after which `failure_mode_allow` would let requests pass.
 */
export function refusedCall(error: AuthorizerError): Reply {
  return { ...errorReply(error), status: 403, headers: [] };
}

/**
 * The answer as a message. Anything but a 200 lets nothing pass.
 * @param exchanges true where credentials are exchanged: none of the client goes upstream
 */
export function responseOf(
  { status, body = "", type = "application/json", headers = [] }: Reply,
  exchanges: boolean,
): CheckResponse {
  if (status === 200) {
    const set = options(headers).filter(({ header }) => !exchanges || header.key !== "cache-control");
    const replaced = exchanges ? [DECISION_HEADER, AUTHORIZATION_HEADER] : [DECISION_HEADER];
    const absent = replaced.filter((name) => !set.some(({ header }) => header.key === name));
    const removed = [...REMOVED, ...(exchanges ? CREDENTIALS : []), ...absent];
    return { status: { code: 0 }, ok_response: { headers: set, headers_to_remove: removed } };
  }
  const shown = options(headersForClients(headers));
  return {
    status: { code: status === 401 ? UNAUTHENTICATED : PERMISSION_DENIED },
    denied_response: {
      status: { code: status },
      headers: [...shown, ...options(["content-type", type])],
      body,
    },
  };
}

function options(headers: readonly string[]): HeaderValueOption[] {
  const found: HeaderValueOption[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [key = "", value = ""] = [headers[index]?.toLowerCase(), headers[index + 1]];
    found.push({ header: { key, value }, append_action: 2 });
  }
  return found;
}
