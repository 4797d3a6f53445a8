/** One request with its response and the state between them: the object that every step of the pipeline gets. */

import type { ServerResponse } from "node:http";
import type { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { WorkUnderWay } from "../schedule/work-under-way.ts";
import type { Admission } from "./admission.ts";
import type { ArrivingBody, BodyBudget } from "./body/body-budget.ts";
import type { IncomingRequest } from "./fast/incoming-request.ts";
import { type HttpLimits, KEEP_ALIVE, NO_SNIFF } from "./limits.ts";
import type { HttpCounters, HttpLog, RequestSpan, RequestTraces, RevisedCall, Revisions } from "./ports.ts";
import { positionHeaders } from "./position-headers.ts";
import { Query } from "./request/query.ts";
import { requestId } from "./request/request-id.ts";
import { ANONYMOUS, type Caller, type MountedRoute, type RawCall } from "./route.ts";
import type { AnswerBudget } from "./server/answer-budget.ts";
import type { SmallPieces } from "./server/small-pieces.ts";

/** Everything that all requests of one server share. */
export interface ServerContext {
  readonly admission: Admission;
  readonly bodies: BodyBudget;
  readonly answers: AnswerBudget;
  readonly smallPieces: SmallPieces;
  readonly calls: WorkUnderWay;
  readonly counters: HttpCounters;
  readonly limits: HttpLimits;
  /** False: nothing takes a way through what Node keeps to itself (`fast/README.md`). */
  readonly shortcuts: boolean;
  readonly log: HttpLog;
  /** Undefined for a server that answers nothing from the directory. */
  readonly revisions: Revisions | undefined;
  /** Undefined if nothing is traced. */
  readonly traces: RequestTraces | undefined;
  /**
   * Headers of every answer, name and value in turn; asked for once per answer. A header of the same name that the
   * answer itself has wins.
   */
  readonly answerHeaders: () => readonly string[];
  /** True while the server stops: answers then close their connections. */
  readonly stopping: () => boolean;
  /** Stands for the route of a request as long as none is found. */
  readonly unrouted: MountedRoute;
}

/** Names the trace in which an answer was made, in the form of `traceparent` (W3C Trace Context, level 2). */
export const TRACE_RESPONSE = "traceresponse";

/**
 * Ends what still runs for a caller. One for all: every request whose signal was asked for ends with it, also one that was
 * answered, and to make an error takes as long as some thirty decisions.
 */
const CALLER_GONE = new DOMException("the caller has gone, or has its answer", "AbortError");

/** Takes a piece of a body, or null at its end; must not throw. */
type PieceReceiver = (exchange: Exchange, piece: Buffer | null) => void;

/** Takes a whole body; must not throw. */
export type BodyReceiver = (exchange: Exchange, body: Buffer) => void;

/** Takes the reason why a body did not come; must not throw. */
export type FailureReceiver = (exchange: Exchange, error: unknown) => void;

/** A request, its response, and the state between them. */
export class Exchange<C extends Caller = Caller> implements RawCall<C>, ArrivingBody, RevisedCall {
  readonly server: ServerContext;
  readonly request: IncomingRequest;
  readonly response: ServerResponse;
  /** Milliseconds of `performance.now()`: when the headers had arrived. */
  readonly startedAt: number;
  deadline: number;
  /** Milliseconds of `performance.now()`: when it was answered. */
  endedAt = 0;
  readonly requestId: string;
  /** The query without `?`, "" where there is none. */
  readonly queryText: string;
  parsedQuery: Query | undefined = undefined;
  route: MountedRoute;
  position = "";
  isProven = false;
  hasRead = false;
  /** Values of the path's parameters in their order, decoded. */
  params: readonly string[] = NO_PARAMS;
  /** Set by the authentication of the API. */
  caller: C = ANONYMOUS as C;
  /** The parsed body; undefined before it is read, and for routes without one. */
  body: unknown = undefined;
  #gone: AbortController | undefined = undefined;
  /** True while the caller waits for `100 Continue` before it sends the body. */
  awaitsContinue = false;
  /** True while a heavy request waits for its turn. */
  waiting = false;
  /** True while the request counts as admitted. */
  admitted = false;
  answered = false;
  /** True if it is served after the event in which it came: its body is in the stream. */
  isLate = false;
  /** Undefined if the request is not traced. */
  span: RequestSpan | undefined = undefined;
  /** Takes the body past the stream; to be set within the "request" event. */
  onPiece: PieceReceiver | undefined = undefined;
  onBody: BodyReceiver | undefined = undefined;
  onFailure: FailureReceiver | undefined = undefined;
  /** Told of the answer; undefined on a connection whose caller is known. */
  onAnswered: ((exchange: Exchange) => void) | undefined = undefined;
  /** The body so far, in its first {@link Exchange.received} bytes. */
  gathered: Buffer | undefined = undefined;
  received = 0;
  pieces = 0;
  maxBytes = 0;

  constructor(server: ServerContext, request: IncomingRequest, response: ServerResponse) {
    const now = performance.now();
    this.server = server;
    this.request = request;
    this.response = response;
    this.startedAt = now;
    this.deadline = now + server.limits.requestTimeoutMs;
    this.route = server.unrouted;
    this.requestId = requestId(request.headers["x-request-id"] as string | undefined);
    const target = request.url as string;
    const mark = target.indexOf("?");
    this.queryText = mark < 0 ? "" : target.slice(mark + 1);
    request.exchange = this;
  }

  /** True while its body may be taken past the stream: within the event in which it came. */
  get isDirect(): boolean {
    return this.server.shortcuts && !this.isLate;
  }

  /** The parameters of the query. */
  get query(): Query {
    this.parsedQuery ??= new Query(this.queryText);
    return this.parsedQuery;
  }

  /** Aborted when the caller has gone, or has its answer. Made when it is first asked for: most requests never do. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      this.#gone = gone;
      if (this.response.destroyed) gone.abort(CALLER_GONE);
      else this.response.once("close", () => gone.abort(CALLER_GONE));
    }
    return this.#gone.signal;
  }

  /** Address of the peer; undefined once the connection is closed. */
  get peer(): string | undefined {
    return this.request.socket.remoteAddress;
  }

  get isStopping(): boolean {
    return this.server.stopping();
  }

  get traceParent(): string | undefined {
    return this.span?.traceParent ?? this.sentTraceParent;
  }

  /** The header `traceparent`, as it came. */
  get sentTraceParent(): string | undefined {
    return this.request.headers["traceparent"] as string | undefined;
  }

  /** Headers of every answer: the request id, the position and what the server adds. */
  commonHeaders(): readonly string[] {
    const own = ["X-Request-ID", this.requestId, ...NO_SNIFF];
    own.push(...positionHeaders(this.position));
    if (this.response.shouldKeepAlive) own.push("Keep-Alive", KEEP_ALIVE);
    if (this.span !== undefined) own.push(TRACE_RESPONSE, this.span.traceParent);
    return [...own, ...this.server.answerHeaders()];
  }

  /** Tells a caller that waits with its body to send it. */
  continueIfAsked(): void {
    if (!this.awaitsContinue) return;
    this.awaitsContinue = false;
    this.response.writeContinue();
  }

  /** Frees what the body holds; whatever of it still comes is thrown away. */
  releaseBody(): void {
    if (this.gathered !== undefined) this.server.bodies.release(this);
    this.gathered = undefined;
    this.onBody = undefined;
    this.onFailure = undefined;
  }

  /** Counts what its answer holds until the caller has taken it. */
  holdAnswer(bytes: number): void {
    const { answers } = this.server;
    const { socket } = this.request;
    answers.hold(socket, bytes);
    this.response.once("close", () => answers.release(socket, bytes));
  }

  giveWay(error: AuthorizerError): void {
    const { onFailure } = this;
    this.releaseBody();
    this.response.shouldKeepAlive = false;
    onFailure?.(this as unknown as Exchange, error);
  }

  /** Gives the place among the admitted requests back. */
  leave(): void {
    if (!this.admitted) return;
    this.admitted = false;
    this.server.admission.leave();
  }
}

const NO_PARAMS: readonly string[] = [];
