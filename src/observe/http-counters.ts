/**
 * Port of the HTTP entrances: what they count while they work, as plain numbers. Routes are templates of the
 * program's own (`/auth/users/{userId}`), never the path of a request.
 */

import type { Entrance } from "../decisions/decisions.ts";
import type { ErrorCode } from "../errors.ts";
import type { DurationMeter } from "./duration-meter.ts";

/** Counts the answers of one route. */
export interface RouteMeter {
  /**
   * Counts an answer.
   * @param status its HTTP status
   * @param seconds from the request's arrival to the end of its answer
   */
  answered(status: number, seconds: number): void;
}

/** What the listeners of one service count. */
export interface HttpCounters {
  /**
   * The meter of a route; the same one for the same arguments. To be asked for when routes are set up, with
   * ("*", "unmatched") for what no route takes.
   */
  route(method: string, route: string): RouteMeter;
  /** Time of decisions by entrance: of a batch as a whole, without reading the request and sending the answer. */
  readonly decisionSeconds: Readonly<Record<Entrance, DurationMeter>>;
  /** Errors answered, by code. */
  readonly errors: Record<ErrorCode, number>;
  /** Requests being worked on now. */
  inFlight: number;
  /** Requests waiting for their turn now. */
  queueLength: number;
}
