/** The counters behind the port of the HTTP entrances, readable at scrape time. */

import type { ErrorCode } from "@svc-authorizer/policy/errors.ts";
import { REFUSED_MEMBERS } from "@svc-authorizer/policy/model/policy-members.ts";
import type { DecisionMeters } from "../../api/decisions/ports.ts";
import type { Entrance } from "../../decisions/entrances.ts";
import type { HttpCounters, RouteMeter } from "../../http/ports.ts";
import type { ConnectionCounters } from "../../http/server/connection-places.ts";
import { DECISION_BOUNDS, FastHistogram, REQUEST_BOUNDS } from "./histograms/fast-histogram.ts";

/** Routes that get a meter of their own; what comes after counts as unmatched, so that a mistake cannot fill the memory. */
const MAX_ROUTES = 1_000;

/** Meter of a route, with what it counted. */
export class RouteCounter implements RouteMeter {
  readonly method: string;
  readonly route: string;
  /** Answers by the first digit of their status; 0 for anything that is no status. */
  readonly statusClasses: number[] = [0, 0, 0, 0, 0, 0];
  readonly duration = new FastHistogram(REQUEST_BOUNDS);

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  answered(status: number, seconds: number): void {
    const digit = Math.trunc(status / 100);
    const index = digit >= 1 && digit <= 5 ? digit : 0;
    this.statusClasses[index] = (this.statusClasses[index] as number) + 1;
    this.duration.observe(seconds);
  }
}

/** The port with what is read at scrape time. */
export interface ReadableHttpCounters extends HttpCounters, ConnectionCounters, DecisionMeters {
  routes(): readonly RouteCounter[];
  readonly decisionSeconds: Readonly<Record<Entrance, FastHistogram>>;
}

/** Counters of one service, all zero. */
export function createHttpCounters(): ReadableHttpCounters {
  const unmatched = new RouteCounter("*", "unmatched");
  const routes = new Map<string, RouteCounter>([[routeKey("*", "unmatched"), unmatched]]);
  return {
    route(method, route) {
      const key = routeKey(method, route);
      const known = routes.get(key);
      if (known !== undefined) return known;
      if (routes.size >= MAX_ROUTES) return unmatched;
      const created = new RouteCounter(method, route);
      routes.set(key, created);
      return created;
    },
    routes: () => [...routes.values()],
    decisionSeconds: {
      evaluation: new FastHistogram(DECISION_BOUNDS),
      evaluations: new FastHistogram(DECISION_BOUNDS),
      check: new FastHistogram(DECISION_BOUNDS),
      filter: new FastHistogram(DECISION_BOUNDS),
      simulate: new FastHistogram(DECISION_BOUNDS),
      request: new FastHistogram(DECISION_BOUNDS),
      forward_auth: new FastHistogram(DECISION_BOUNDS),
      search: new FastHistogram(DECISION_BOUNDS),
      plan: new FastHistogram(DECISION_BOUNDS),
      who_can: new FastHistogram(DECISION_BOUNDS),
      what_can: new FastHistogram(DECISION_BOUNDS),
      management: new FastHistogram(DECISION_BOUNDS),
    },
    errors: zeroErrors(),
    refusedMembers: new Map(REFUSED_MEMBERS.map((member) => [member, 0])),
    inFlight: 0,
    queueLength: 0,
    bodyBytes: 0,
    answerBytes: 0,
    connections: 0,
    connectionsRefused: 0,
    connectionsGivenUp: 0,
  };
}

function routeKey(method: string, route: string): string {
  return `${method} ${route}`;
}

function zeroErrors(): Record<ErrorCode, number> {
  return {
    not_found: 0,
    already_exists: 0,
    invalid_request: 0,
    unauthenticated: 0,
    not_allowed: 0,
    conflict: 0,
    unavailable: 0,
    outcome_unknown: 0,
    stale: 0,
    behind: 0,
    other_log: 0,
    went_back: 0,
    internal: 0,
  };
}
