/** One call of Envoy: who calls, the place among the admitted requests, the answer, and what is counted and logged. */

import { type Metadata, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { DecisionMeters } from "../api/decisions/ports.ts";
import {
  CHECK_PATH,
  type CheckCall,
  check,
  type ExtAuthzOptions,
  refusedCall,
  responseOf,
} from "../api/ext-authz/check.ts";
import type { CheckRequest, CheckResponse } from "../api/ext-authz/messages.ts";
import { ANONYMOUS_SERVICE, type ServiceCaller } from "../api/service-caller.ts";
import { type Admission, overloaded } from "../http/admission.ts";
import { codeOf, errorReply } from "../http/errors.ts";
import type { HttpLimits } from "../http/limits.ts";
import type {
  HttpCounters,
  HttpLog,
  RequestSpan,
  RequestTraces,
  Revisions,
  RouteMeter,
} from "../http/ports.ts";
import { requestId } from "../http/request/request-id.ts";
import type { Reply } from "../http/route.ts";
import type { BearerVerifier } from "./bearer.ts";

/** Parts that all calls share. */
interface ExtAuthzServing {
  readonly extAuthz: ExtAuthzOptions;
  readonly limits: HttpLimits;
  readonly admission: Admission;
  readonly meter: RouteMeter;
  readonly counters: HttpCounters & DecisionMeters;
  readonly log: HttpLog;
  readonly revisions?: Revisions;
  readonly traces?: RequestTraces | undefined;
}

type GrpcCall = ServerUnaryCall<CheckRequest, CheckResponse>;

/** A call under way. */
export class ExtAuthzCall implements CheckCall {
  readonly requestId: string;
  readonly startedAt = performance.now();
  readonly peer: string;
  readonly proxyToken: string | undefined;
  caller: ServiceCaller = ANONYMOUS_SERVICE;
  readonly #serving: ExtAuthzServing;
  readonly #verifier: BearerVerifier;
  readonly #call: GrpcCall;
  readonly #answer: sendUnaryData<CheckResponse>;
  #gone: AbortController | undefined;
  #span: RequestSpan | undefined;
  #overdue: NodeJS.Timeout | undefined;
  #admitted = false;
  #answered = false;

  constructor(
    serving: ExtAuthzServing,
    verifier: BearerVerifier,
    call: GrpcCall,
    answer: sendUnaryData<CheckResponse>,
  ) {
    this.#serving = serving;
    this.#verifier = verifier;
    this.#call = call;
    this.#answer = answer;
    this.requestId = requestId(single(call.metadata, "x-request-id"));
    this.peer = addressOf(call.getPeer());
    this.proxyToken = single(call.metadata, "x-svc-proxy-token");
  }

  /** Aborted when the caller has gone or its deadline is over; made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      this.#gone = gone;
      if (this.#call.cancelled) gone.abort();
      else this.#call.once("cancelled", () => gone.abort());
    }
    return this.#gone.signal;
  }

  /** Envoy's own trace, or that which the client's request names. */
  get traceParent(): string | undefined {
    return this.#span?.traceParent ?? this.#sentTrace("traceparent");
  }

  /** Serves the call. Never throws. */
  serve(): void {
    this.#call.once("cancelled", () => this.#leave());
    this.#span = this.#serving.traces?.begin({
      method: "POST",
      path: CHECK_PATH,
      requestId: this.requestId,
      startedAt: this.startedAt,
      traceParent: this.#sentTrace("traceparent"),
      traceState: this.#sentTrace("tracestate"),
    });
    if (this.#span === undefined) this.#begin();
    else this.#span.run(() => this.#begin());
  }

  #begin(): void {
    try {
      const { admission, revisions, limits } = this.#serving;
      if (!admission.enter("hot")) throw overloaded();
      this.#admitted = true;
      revisions?.current();
      const decided = this.#authenticated();
      if (!(decided instanceof Promise)) {
        this.#reply(decided);
        return;
      }
      const late = new AuthorizerError("unavailable", "no answer in time, try again");
      this.#overdue = setTimeout(() => this.#fail(late), limits.requestTimeoutMs).unref();
      decided.then(
        (reply) => this.#reply(reply),
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  #authenticated(): Reply | Promise<Reply> {
    const authorization = this.#call.metadata.get("authorization").map(String);
    const caller = this.#verifier.verify({
      headers: authorization[0] === undefined ? {} : { authorization: authorization[0] },
      rawHeaders: authorization.flatMap((value) => ["authorization", value]),
    });
    if (caller instanceof Promise) return caller.then((known) => this.#decided(known));
    return this.#decided(caller);
  }

  #decided(caller: ServiceCaller): Reply | Promise<Reply> {
    this.caller = caller;
    const { extAuthz, log, counters } = this.#serving;
    const reply = check(extAuthz, log, this.#call.request, this);
    const observe = (): void =>
      counters.decisionSeconds.forward_auth.observe((performance.now() - this.startedAt) / 1000);
    if (reply instanceof Promise) return reply.finally(observe);
    observe();
    return reply;
  }

  #reply(reply: Reply): void {
    if (this.#answered) return;
    this.#finish(reply.status);
    this.#answer(null, responseOf(reply, this.#serving.extAuthz.exchange !== undefined));
  }

  /** A refused caller gets a refusal; a failure is one of gRPC, whose consequence Envoy's configuration says. */
  #fail(error: unknown): void {
    if (this.#answered) return;
    const { counters, log } = this.#serving;
    counters.errors[codeOf(error)]++;
    if (isErrorCode(error, "unauthenticated") || isErrorCode(error, "not_allowed")) {
      log.refused({
        ...{ request_id: this.requestId, path: CHECK_PATH, peer: this.peer },
        status: error.code === "unauthenticated" ? 401 : 403,
        message: error.message,
        ...(this.caller.name !== "" && { caller: this.caller.name }),
      });
      this.#reply(refusedCall(error));
      return;
    }
    const { status: code, errorId, body } = errorReply(error);
    if (errorId !== undefined) {
      log.failure({ error_id: errorId, request_id: this.requestId, path: CHECK_PATH, error });
    }
    this.#finish(code);
    const { message } = JSON.parse(body) as { message: string };
    this.#answer({ code: code === 500 ? status.INTERNAL : status.UNAVAILABLE, details: message });
  }

  #finish(code: number): void {
    this.#answered = true;
    this.#leave();
    const { meter, log } = this.#serving;
    const milliseconds = performance.now() - this.startedAt;
    meter.answered(code, milliseconds / 1000);
    this.#span?.answered({ status: code, caller: this.caller.name, revision: "" });
    if (!log.requests) return;
    log.request({
      request_id: this.requestId,
      method: "POST",
      path: CHECK_PATH,
      status: code,
      duration_ms: milliseconds,
      caller: this.caller.name,
      peer: this.peer,
    });
  }

  #leave(): void {
    clearTimeout(this.#overdue);
    if (!this.#admitted) return;
    this.#admitted = false;
    this.#serving.admission.leave();
    if (!this.#answered) this.#span?.abandoned(false);
  }

  #sentTrace(name: string): string | undefined {
    const sent = single(this.#call.metadata, name);
    if (sent !== undefined) return sent;
    const listed = this.#call.request.attributes?.request?.http?.header_map?.headers ?? [];
    const header = listed.find(({ key }) => key === name);
    return header && (header.raw_value.length > 0 ? header.raw_value.toString("latin1") : header.value);
  }
}

function single(metadata: Metadata, name: string): string | undefined {
  const [value, another] = metadata.get(name);
  return another === undefined && typeof value === "string" ? value : undefined;
}

/** The address of `address:port`, as grpc-js names peers. */
export function addressOf(peer: string): string {
  const colon = peer.lastIndexOf(":");
  return peer.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
}
