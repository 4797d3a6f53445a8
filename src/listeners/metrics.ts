/** The metrics listener: `GET /metrics` at an address of its own (spec/security §1.3). */

import { setTimeout } from "node:timers/promises";
import { ANONYMOUS_SERVICE, requireScope, type ServiceCaller } from "../api/service-caller.ts";
import { Admission } from "../http/admission.ts";
import type { HttpLimits } from "../http/limits.ts";
import type { HttpCounters, HttpLog } from "../http/ports.ts";
import { mount, OPEN_API, type Route } from "../http/route.ts";
import { routed } from "../http/router.ts";
import type { ListenerPlaces } from "../http/server/connection-places.ts";
import { createManagedServer, type ManagedServer } from "../http/server/server-lifecycle.ts";
import { type BearerOptions, BearerVerifier } from "./bearer.ts";
import { type Health, healthRoutes } from "./health.ts";

const RENDER_INTERVAL_MS = 1000;

/** Metrics in the format of the one who scrapes them. */
interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

/** Options of {@link createMetricsListener}. */
interface MetricsListenerOptions {
  readonly limits: HttpLimits;
  /** `authorizer.http_shortcuts`; default true. */
  readonly shortcuts?: boolean;
  readonly render: () => Promise<RenderedMetrics>;
  /** Tokens of which one with scope `metrics` is needed; undefined where only this machine can reach the listener. */
  readonly bearer?: BearerOptions | undefined;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters;
  /** Absent: connections are not bounded. */
  readonly places?: ListenerPlaces;
}

/** The listener. */
export interface MetricsListener extends ManagedServer {
  /** Takes other tokens from now on; no effect where none are needed. */
  replaceTokens(bearer: BearerOptions): void;
}

/** Builds the listener; it does not listen yet. */
export function createMetricsListener(options: MetricsListenerOptions): MetricsListener {
  const { limits, counters, log } = options;
  const guard = { bearer: options.bearer === undefined ? undefined : new BearerVerifier(options.bearer) };
  const api = {
    authenticate: ({ request }: { readonly request: Parameters<BearerVerifier["verify"]>[0] }) =>
      guard.bearer === undefined ? ANONYMOUS_SERVICE : guard.bearer.verify(request),
  };
  const render = atMostEvery(RENDER_INTERVAL_MS, options.render);
  const metrics: Route<ServiceCaller> = {
    method: "GET",
    path: "/metrics",
    head: true,
    authorize: ({ caller }) => {
      if (guard.bearer !== undefined) requireScope(caller, "metrics");
    },
    handle: async () => {
      const { contentType, body } = await render();
      return { status: 200, type: contentType, body };
    },
  };
  const managed = createManagedServer({
    admission: new Admission(limits),
    counters,
    limits,
    ...(options.shortcuts === undefined ? {} : { shortcuts: options.shortcuts }),
    log,
    places: options.places,
    handler: routed({
      routes: [
        ...mount(OPEN_API, healthRoutes(options.health), counters),
        ...mount(api, [metrics], counters),
      ],
      decode: (segment) => segment,
    }),
  });
  return {
    ...managed,
    replaceTokens: (bearer) => {
      if (guard.bearer !== undefined) guard.bearer = new BearerVerifier(bearer);
    },
  };
}

/**
 * Limits how often work is begun. Whoever calls within the interval waits for its end, and shares what is then made,
 * so that nobody gets a result that is older than the call.
 */
function atMostEvery<T>(intervalMs: number, work: () => Promise<T>): () => Promise<T> {
  let last = Number.NEGATIVE_INFINITY;
  let next: Promise<T> | undefined;
  return () => {
    next ??= setTimeout(Math.max(0, last + intervalMs - performance.now())).then(() => {
      last = performance.now();
      next = undefined;
      return work();
    });
    return next;
  };
}
