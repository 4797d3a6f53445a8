/**
 * The streaming listener of the exchange (spec/exchange §6): requests that a proxy sends here in place of the data server.
 * It authenticates and decides by itself; no header about who may what is believed.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Exchange, OwnRequest } from "../../exchange/exchange.ts";
import { DamagedStream } from "../../exchange/streaming/signed-chunks.ts";
import { errorReply, RequestRefused, statusOf } from "../../http/errors.ts";
import type { HttpCounters, HttpLog } from "../../http/ports.ts";
import { clientAddress } from "../../http/request/client-address.ts";
import type { Api, MountedRoute, RawCall, Reply } from "../../http/route.ts";
import type { DecisionMeters } from "../decisions/ports.ts";
import { answerOf, headerName } from "../forward-auth/answers.ts";
import { type AskedRequest, decideRequest, type Outcome } from "../forward-auth/decide-request.ts";
import { type CallingProxy, callingProxy, type ForwardAuthOptions } from "../forward-auth/forward-auth.ts";
import { requestAsTold, splitUri } from "../forward-auth/proxies.ts";
import { headersForClients, s3Body } from "../forward-auth/refusals.ts";
import { DataServer, type DataServerAnswer } from "./data-server.ts";
import { bodyForm, relayUpload } from "./relay-upload.ts";
import { unwrappedHeaders } from "./upload-headers.ts";

/** Options of the listener's API. */
export interface StreamingOptions extends ForwardAuthOptions {
  readonly exchange: Exchange;
  /** `authorizer.exchange.upstream`. */
  readonly upstream: string;
  /** Milliseconds for which a connection may stand still. */
  readonly idleMs: number;
}

/** Ports for counting and logging. */
interface StreamingServing {
  readonly counters: HttpCounters & DecisionMeters;
  readonly log: HttpLog;
}

/** Parts that all requests share. */
interface Parts extends StreamingServing {
  readonly options: StreamingOptions;
  readonly dataServer: DataServer;
}

/** The API: one route for all targets. */
interface StreamingApi {
  readonly route: MountedRoute;
  /** Closes the connections to the data server. */
  close(): void;
}

/** The name of all targets in logs and metrics. */
const SHOWN = "/exchange";
const CHUNK_SIGNED: ReadonlySet<string> = new Set([
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
]);
/** Time for which a client may send the rest of a body that is refused, so that it reads the answer. */
const LINGER_MS = 2_000;

type Passed = Extract<Outcome, { readonly pass: true }>;

/** Builds the API. */
export function openStreaming(options: StreamingOptions, serving: StreamingServing): StreamingApi {
  const dataServer = new DataServer(options.upstream, 2 * options.idleMs);
  const parts: Parts = { ...serving, options, dataServer };
  const api: Api<CallingProxy> = { authenticate: (call) => callingProxy(options, call), refusal };
  return {
    route: {
      ...{ method: "PUT", path: SHOWN, api, priority: "hot", reads: true },
      meter: serving.counters.route("*", SHOWN),
      handle: async (call: RawCall<CallingProxy>) => {
        const reply = await serve(parts, call);
        linger(call);
        return reply;
      },
    },
    close: () => dataServer.close(),
  };
}

async function serve(parts: Parts, call: RawCall<CallingProxy>): Promise<Reply> {
  const asked = askedRequest(parts.options, call);
  const { headers } = asked;
  if (!CHUNK_SIGNED.has(headers.single("x-amz-content-sha256") ?? "")) {
    throw notAllowed("this listener takes requests whose body is signed in chunks");
  }
  const outcome = await decideRequest(parts.options, asked);
  if (!outcome.pass) {
    const reply = answerOf(outcome, asked, { log: parts.log, entrance: SHOWN, proxy: "nginx" });
    return { ...reply, headers: headersForClients(reply.headers ?? []) };
  }
  return replyOf(await upload(parts, call, asked, outcome));
}

/** The client's request. @throws AuthorizerError "not_allowed" for one that has more than one reading */
function askedRequest(options: StreamingOptions, call: RawCall<CallingProxy>): AskedRequest {
  const { headers, address } = call.caller;
  const { method, url } = call.request;
  const told = { method, uri: url, host: headers.single("host") };
  const original = requestAsTold(told, headers.single("content-length"));
  if (original === undefined || headers.repeated.has("content-length")) {
    throw notAllowed("the request has more than one reading");
  }
  const source = clientAddress(options.trusted, address, headers.get("x-forwarded-for"));
  if (source === undefined) throw notAllowed("X-Forwarded-For holds something that is no address");
  return { original, headers, source, requestId: call.requestId, call };
}

async function upload(
  { options, dataServer }: Parts,
  call: RawCall<CallingProxy>,
  { original, headers }: AskedRequest,
  { identity }: Passed,
): Promise<DataServerAnswer> {
  const { method, uri: target } = original;
  const [path, query] = splitUri(target);
  const form = bodyForm(headers);
  const signed = { method, path, query, headers: headers.restored(original) };
  const chain = await options.identities.chunksOf(signed);
  const onward = unwrappedHeaders(headers);
  onward.set("content-length", String(form.bytes));
  if (identity !== undefined) onward.set("x-svc-user", headerName(identity.username));
  const ready = withCredential(options.exchange, {
    wire: { api: "gateway", method, path, query },
    headers: onward,
  });
  const begin = () => dataServer.send({ method, target, headers: ready });
  return relayUpload({ call, chain, form, begin, idleMs: options.idleMs });
}

/** The headers with the one key's credential. */
function withCredential(exchange: Exchange, request: OwnRequest): ReadonlyMap<string, string> {
  const own = exchange.own(request);
  if ("refused" in own) throw notAllowed(String(own.refused));
  return new Map([...request.headers, ...Object.entries(own)]);
}

function replyOf({ status, headers, type, body }: DataServerAnswer): Reply {
  return { status, headers, ...(body === "" ? {} : { body, ...(type !== undefined && { type }) }) };
}

const FAULTS = {
  signature: [403, "SignatureDoesNotMatch"],
  malformed: [403, "SignatureDoesNotMatch"],
  checksum: [400, "BadDigest"],
  cut: [400, "IncompleteBody"],
} as const;

/** Errors as S3's clients read them. */
function refusal(error: unknown, call: RawCall) {
  linger(call);
  const [resource] = splitUri(call.request.url ?? "/");
  const details = { resource, id: call.requestId };
  const xml = (status: number, code: string, message: string, headers: readonly string[] = []) => ({
    ...{ status, type: "application/xml", body: s3Body(code, message, details) },
    headers: [...headers, "Cache-Control", "no-store"],
  });
  if (error instanceof DamagedStream) {
    const [status, code] = FAULTS[error.fault];
    return { ...xml(status, code, error.message), recorded: true };
  }
  const reply = errorReply(error);
  const known = error instanceof AuthorizerError && error.code !== "internal";
  const message = known ? error.message : "internal error";
  if (error instanceof RequestRefused)
    return xml(statusOf(error), codeOf(error.status), message, reply.headers);
  if (reply.status === 503) return xml(503, "ServiceUnavailable", message, reply.headers);
  if (known) return xml(403, "AccessDenied", message);
  return { ...xml(500, "InternalError", message), ...(reply.errorId && { errorId: reply.errorId }) };
}

/** Throws away what is still to come of a body, for a while. */
function linger(call: Pick<RawCall, "request" | "deadline">): void {
  if (call.request.complete) return;
  call.deadline = Math.min(call.deadline, performance.now() + LINGER_MS);
  call.request.resume();
}

function codeOf(status: number): string {
  if (status === 408) return "RequestTimeout";
  return status >= 500 ? "ServiceUnavailable" : "InvalidRequest";
}

function notAllowed(message: string): AuthorizerError {
  return new AuthorizerError("not_allowed", message);
}
