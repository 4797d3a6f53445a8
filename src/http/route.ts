/** A route: everything that a server needs to serve it. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Priority } from "./admission.ts";
import type { BodyBounds } from "./body/json-body.ts";
import type { BodyFormat } from "./body/media-type.ts";
import type { ErrorReply } from "./errors.ts";
import type { DurationMeter, RouteMeter } from "./ports.ts";
import type { Query } from "./request/query.ts";

/** A caller, as far as the kernel looks at it. */
export interface Caller {
  /** For logs: the name of a token or a user, never a secret; "" for an anonymous caller. */
  readonly name: string;
}

/** A caller who showed no credential. */
export const ANONYMOUS: Caller = { name: "" };

/** The argument of a handler: one call by an authenticated caller. */
export interface Call<C extends Caller = Caller> {
  readonly caller: C;
  readonly requestId: string;
  /** Values of the path's parameters in their order, decoded. */
  readonly params: readonly string[];
  readonly query: Query;
  /** The query without `?`, "" where there is none. */
  readonly queryText: string;
  /** The parsed body; undefined where the route takes none. */
  readonly body: unknown;
  /** Aborted when the caller has gone, so that unwanted work ends. */
  readonly signal: AbortSignal | undefined;
  /** Address of the peer, where known. */
  readonly peer: string | undefined;
  /** Milliseconds of `performance.now()`: when the headers had arrived. */
  readonly startedAt: number;
  /** The span of this request where it is traced, else the header `traceparent` as it came. */
  readonly traceParent: string | undefined;
}

/** A call with the request and the response that it came with. */
export interface RawCall<C extends Caller = Caller> extends Call<C> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Milliseconds of `performance.now()`: when the request is refused as overdue. A stream moves it on. */
  deadline: number;
  /** True while the server stops: a stream, which would go on, ends. */
  readonly isStopping: boolean;
  /** Headers of every answer, name and value in turn, for handlers that write the response themselves. */
  commonHeaders(): readonly string[];
  /** Tells a caller that waits with its body to send it, for handlers that read the request themselves. */
  continueIfAsked(): void;
  /** Counts bytes that the answer holds until the caller has taken it; what the pipeline writes counts by itself. */
  holdAnswer(bytes: number): void;
}

/** An answer. */
export interface Reply {
  readonly status: number;
  /** Absent for an answer without body, which has no content type either. */
  readonly body?: string;
  /** Instead of `body`: bytes that serve many answers, and are sent from where they are. */
  readonly bytes?: Buffer;
  /** Content type of the body; default `application/json`. */
  readonly type?: string;
  /** Further headers, name and value in turn. */
  readonly headers?: readonly string[];
}

/** The answer of a handler that has written the response itself. */
export const WRITTEN: Reply = { status: 200 };

/** An answer, or the JSON text of an answer 200 (hot routes make no object for it). */
export type Answer = Reply | string;

/** Methods that routes have. A route of GET also answers HEAD where it says so. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The body that a route takes. */
export interface RouteBody {
  /** Default `json`. */
  readonly format?: Exclude<BodyFormat, "ndjson">;
  /** Another content type of JSON that the route takes. */
  readonly alsoType?: string;
  readonly maxBytes: number;
  /** Milliseconds from the headers to the end of the body; default the time that the whole request may take. */
  readonly arrivesWithinMs?: number;
  /** Reads the bytes, a promise where they are many; default `parseJsonInTurns`. Throws as that does. */
  readonly parse?: (bytes: Buffer, bounds: BodyBounds) => unknown | Promise<unknown>;
  /**
   * Throws "invalid_request" with every problem of the value; a promise rejects with it, and only on heavy routes.
   */
  readonly validate?: (value: unknown) => void | Promise<void>;
  /**
   * For a route that also takes `application/x-ndjson`: reads the request and writes the whole response. Rejects only
   * as long as no part of the response is written.
   */
  readonly stream?: (call: RawCall<never>) => Promise<void>;
}

/** One method of one path. */
export interface Route<C extends Caller = Caller> {
  readonly method: Method;
  /** With parameters as `{name}`, each a whole segment. Logs and metrics show it, never the path of a request. */
  readonly path: string;
  /** The path that logs and metrics show, where it is not `path`. */
  readonly shownPath?: string;
  /** Absent: the route is served however many requests are being worked on (probes, documents). */
  readonly priority?: Priority;
  /** At most `bulkConcurrency` calls of heavy routes run at once; the others wait with their bodies. */
  readonly heavy?: boolean;
  /** True where HEAD is answered as GET is. */
  readonly head?: boolean;
  readonly body?: RouteBody;
  /** True if {@link Route.authorize} looks at the body, where there is one; else it runs before the body is read. */
  readonly authorizesBody?: boolean;
  /**
   * Of another method than GET: true where no call changes anything, or says which do not. All others are mutations, whose
   * answers rest on a commit or on proof (spec/journal §2.8).
   */
  readonly reads?: boolean | ((call: Call<C>) => boolean);
  /**
   * Returns where the caller may make the call; throws or rejects with AuthorizerError. A promise where it reads the
   * directory.
   */
  readonly authorize?: (call: RawCall<C>) => void | Promise<void>;
  /** Takes the time from the parsed body to the answer. */
  readonly seconds?: DurationMeter;
  /** Answers in place of the error "stale", without authentication: it must tell nothing of the directory. */
  readonly whenStale?: () => Reply;
  /** Answers; throws or rejects with AuthorizerError. */
  readonly handle: (call: RawCall<C>) => Answer | Promise<Answer>;
}

/** Port: who calls. Throws or rejects with AuthorizerError; a promise only where it must. */
export type Authenticate<C extends Caller> = (call: RawCall) => C | Promise<C>;

/** Everything that the routes of one API share. */
export interface Api<C extends Caller = Caller> {
  readonly authenticate: Authenticate<C>;
  /** An error as this API answers it; default `errorReply`. */
  readonly refusal?: (error: unknown, call: RawCall) => ErrorReply;
}

/** True for a call that may change something. */
export function isMutation({ method, reads = false }: Route<never>, call?: Call): boolean {
  if (method === "GET" || reads === true) return false;
  return reads === false || call === undefined || !reads(call as never);
}

/** A route with its API and its meter. */
export interface MountedRoute extends Route<never> {
  readonly api: Api;
  readonly meter: RouteMeter;
}

/** An API whose calls are all anonymous. */
export const OPEN_API: Api = { authenticate: () => ANONYMOUS };

/** Mounts the routes of an API. */
export function mount<C extends Caller>(
  api: Api<C>,
  routes: readonly Route<C>[],
  counters: { route(method: string, path: string): RouteMeter },
): readonly MountedRoute[] {
  return routes.map((route) => ({
    ...route,
    api,
    meter: counters.route(route.method, route.shownPath ?? route.path),
  }));
}
