/** Ports of the HTTP kernel; `observe` and `compose` implement them. */

import type { ErrorCode } from "@svc-authorizer/policy/errors.ts";

/** Port: takes durations. Cheap enough for every request. */
export interface DurationMeter {
  /** @param seconds how long it took; what is not finite is ignored */
  observe(seconds: number): void;
}

/** Counts the answers of one route. */
export interface RouteMeter {
  /**
   * Counts an answer.
   * @param status its HTTP status
   * @param seconds from the request's arrival to the end of its answer
   */
  answered(status: number, seconds: number): void;
}

/** Port: what the listeners of one service count, as plain numbers. */
export interface HttpCounters {
  /**
   * The meter of a route; the same one for the same arguments. To be asked for when routes are set up, with
   * ("*", "unmatched") for requests that no route takes. Routes are templates such as `/auth/users/{userId}`, never
   * the path of a request.
   */
  route(method: string, route: string): RouteMeter;
  /** Errors answered, by code. */
  readonly errors: Record<ErrorCode, number>;
  /** Members of policies that were refused, by the label of the problem. */
  readonly refusedMembers: Map<string, number>;
  /** Requests being worked on now. */
  inFlight: number;
  /** Requests waiting for their turn now. */
  queueLength: number;
  /** Bytes of request bodies that have not arrived whole, or wait for their turn. */
  bodyBytes: number;
  /** Bytes of answers that callers have not taken, and of requests that were sent ahead of their answers. */
  answerBytes: number;
}

/** A call whose answer names the position in the log that it was given from. */
export interface RevisedCall {
  /** `N.LOG.ENTRY`; "" where no position is named. */
  position: string;
  /** True once the state was proved to be the newest after the call came, by a commit or otherwise (spec/journal §2.8). */
  isProven: boolean;
  /** True once a state of the store was opened for it. */
  hasRead: boolean;
}

/** A call that may change something. */
interface ProvingCall extends RevisedCall {
  readonly caller: { readonly name: string };
}

/** The positions that a caller asks for, as it wrote them. */
interface AskedPositions {
  /** `X-Svc-Min-Revision`. */
  readonly revision?: string | undefined;
  /** `X-Svc-Min-Position`. */
  readonly position?: string | undefined;
}

/** Port: the positions in the log that answers are given from (spec/journal §6). */
export interface Revisions {
  /**
   * Returns `N.LOG.ENTRY`: whatever is read from now on is of that entry or one that follows it; "" for an empty log.
   * Cheap; asked once for each request, before its work begins. Throws AuthorizerError "stale".
   */
  current(): string;
  /**
   * Returns once what a caller asks for is reached: undefined if it is, else a promise.
   * @throws AuthorizerError "invalid_request", "other_log", "went_back", "behind" or "unavailable", at once or by
   * rejection
   */
  reached(asked: AskedPositions): Promise<void> | undefined;
  /**
   * Runs a mutation, or a part of one: a commit sets the position of the call to its own, and what it answers without one is
   * answered from proof (spec/journal §2.8).
   * @param part `refusals`: only what it throws is an answer
   * @throws what the work throws, and AuthorizerError "unavailable" where nothing is proved in time
   */
  proving<T>(call: ProvingCall, work: () => T | Promise<T>, part?: "refusals"): T | Promise<T>;
}

/** One answered request, for the log. Holds no secret: no header, no body, no query. */
export interface RequestLogEntry {
  readonly request_id: string;
  readonly method: string;
  /** The route's template. */
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  /** Name of the token that the caller showed; absent where none was needed or it was refused. */
  readonly caller?: string;
  /** Address of the peer. */
  readonly peer?: string;
}

/** A failure of this program; the caller got only the id. */
export interface FailureLogEntry {
  /** Id in the answer. */
  readonly error_id: string;
  readonly request_id: string;
  readonly path: string;
  readonly error: unknown;
}

/** A refused attempt to authenticate (spec/security §5.2). */
export interface RefusedCaller {
  readonly request_id: string;
  readonly path: string;
  readonly status: 401 | 403;
  readonly message: string;
  readonly caller?: string;
  readonly peer?: string;
  /** The kind of credential that was shown, and the issuer that a token names: claimed, not verified. */
  readonly how?: string;
  readonly issuer?: string;
  /** The access key that the attempt names: claimed, not verified. */
  readonly access_key_id?: string;
}

/** Port: the log of the listeners. */
export interface HttpLog {
  /** True if {@link HttpLog.request} wants entries; asked for each request, so that off costs nothing. */
  readonly requests: boolean;
  request(entry: RequestLogEntry): void;
  failure(entry: FailureLogEntry): void;
  /** A failed authentication or a missing scope; rate-limiting what it writes is up to the log. */
  refused(entry: RefusedCaller): void;
}

/** A request that may be traced. */
export interface TracedRequest {
  readonly method: string;
  /** The route's template. */
  readonly path: string;
  readonly requestId: string;
  /** Milliseconds of `performance.now()`: when the headers had arrived. */
  readonly startedAt: number;
  /** The headers `traceparent` and `tracestate`, as they came. */
  readonly traceParent: string | undefined;
  readonly traceState: string | undefined;
}

/** The end of a traced request. */
export interface TracedAnswer {
  readonly status: number;
  /** Name of the token or user; "" for an anonymous caller. */
  readonly caller: string;
  /** `N.log`; "" where none is named. */
  readonly revision: string;
}

/** A request that is traced. */
export interface RequestSpan {
  /** The trace, as `traceparent` names it, with this span as parent. */
  readonly traceParent: string;
  /** Runs a part of the work; what that traces belongs to the request. */
  run(work: () => void): void;
  /** Ends the span with the answer; what comes later is ignored. */
  answered(answer: TracedAnswer): void;
  /**
   * Ends the span of a request whose connection ended; nothing where the span has ended.
   * @param begun true if the answer had begun: streams end so
   */
  abandoned(begun: boolean): void;
}

/** Port: traces of requests. */
export interface RequestTraces {
  /** Begins the span of a request; undefined for one that is not traced. Cheap where it is not. */
  begin(request: TracedRequest): RequestSpan | undefined;
}
