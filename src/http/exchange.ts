/** The words of the edge: what a route is, what all routes of a listener share, and the state of one request. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { DurationMeter } from "../observe/duration-meter.ts";
import type { HttpCounters, RouteMeter } from "../observe/http-counters.ts";
import type { Admission, Priority } from "./admission.ts";
import type { BearerVerifier } from "./bearer.ts";
import type { HttpLimits } from "./limits.ts";
import type { HttpLog } from "./ports.ts";
import { requestId } from "./request-id.ts";
import type { Access, Scope } from "./scopes.ts";

/** What a handler knows of a call besides its body. */
export interface Call {
  readonly access: Access;
  /** "" where the caller sent none. */
  readonly requestId: string;
  /** The request target's query without `?`, "" where there is none. */
  readonly query: string;
  /** Of bulk calls: aborted when the caller has gone, so that work nobody waits for ends. */
  readonly signal: AbortSignal | undefined;
}

/** A request whose time a handler prolongs while it moves: milliseconds of `performance.now()`. */
export type StreamedRequest = IncomingMessage & { deadline: number };

/** What every route has. */
export interface Route {
  /** Template of the program's own, such as `/auth/users/{userId}`: what log and metrics show of a request. */
  readonly path: string;
  readonly meter: RouteMeter;
}

/** A route that takes a JSON body and answers 200 with JSON. */
export interface BodyRoute extends Route {
  readonly scope: Scope;
  readonly priority: Priority;
  readonly maxBytes: number;
  /** Takes the time of decisions, without reading the request and sending the answer. */
  readonly decisionSeconds: DurationMeter;
  /** Reads a body of which more matters than its JSON value; default `parseJsonBody`. Throws as that does. */
  readonly parse?: (bytes: Buffer, maxDepth: number) => unknown;
  /** The answer as JSON text; throws or rejects with AuthorizerError. */
  answer(body: unknown, call: Call): string | Promise<string>;
  /**
   * Where the route also takes `application/x-ndjson`: reads the request and writes the whole response. Rejects
   * only as long as no part of the response is written.
   */
  stream?(request: StreamedRequest, response: ServerResponse, call: Call): Promise<void>;
}

/** What all routes of a listener share. */
export interface ListenerEdge {
  readonly admission: Admission;
  readonly counters: HttpCounters;
  readonly limits: HttpLimits;
  readonly log: HttpLog;
  /** Give every request an id, not only those that bring one (wanted where decisions are audited). */
  readonly alwaysRequestId: boolean;
  /** True while the listener stops: answers close their connections. */
  readonly stopping: () => boolean;
}

/** What all routes of a listener for services share. */
export interface Edge extends ListenerEdge {
  /** Replaced as a whole when tokens are reloaded. */
  bearer: BearerVerifier;
}

/** A caller that did not prove itself yet. */
export const NOBODY: Access = { name: "", scopes: new Set() };

/** State of a request between its steps. */
export class Exchange<R extends Route = Route> implements Call {
  readonly edge: ListenerEdge;
  readonly route: R;
  readonly response: ServerResponse;
  requestId: string;
  readonly query: string;
  access: Access = NOBODY;
  signal: AbortSignal | undefined = undefined;
  /** The body so far: nearly always one piece. */
  first: Buffer | undefined = undefined;
  rest: Buffer[] | undefined = undefined;
  received = 0;
  /** True while the request takes a place in the queue. */
  inside = false;
  answered = false;

  constructor(edge: ListenerEdge, route: R, request: IncomingMessage, response: ServerResponse) {
    this.edge = edge;
    this.route = route;
    this.response = response;
    const sent = request.headers["x-request-id"] as string | undefined;
    this.requestId = requestId(sent, edge.alwaysRequestId || edge.log.requests);
    const target = request.url as string;
    const mark = target.indexOf("?");
    this.query = mark < 0 ? "" : target.slice(mark + 1);
  }

  /** Gives the place in the queue back. */
  leave(): void {
    if (!this.inside) return;
    this.inside = false;
    this.edge.admission.leave();
  }
}
