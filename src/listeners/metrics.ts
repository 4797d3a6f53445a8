/** The metrics listener: `GET /metrics` at an address of its own (security.md §1.3). */

import { type RequestHandler, Router } from "express";
import { type BearerOptions, BearerVerifier } from "../http/bearer.ts";
import type { HttpLimits } from "../http/limits.ts";
import type { HttpLog } from "../http/ports.ts";
import { requireScope } from "../http/scopes.ts";
import { createManagedServer, type ManagedServer } from "../http/server-lifecycle.ts";
import { counted, methodNotAllowed, strictApp, unrouted } from "../http/unrouted.ts";
import type { HttpCounters } from "../observe/http-counters.ts";
import { type Health, healthRoutes } from "./health.ts";

/** Metrics in the format of the one who scrapes them. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

/** Options of {@link createMetricsListener}. */
export interface MetricsListenerOptions {
  readonly limits: Pick<HttpLimits, "headersBytes" | "requestTimeoutMs">;
  readonly render: () => Promise<RenderedMetrics>;
  /** Tokens of which one with scope `metrics` is needed; undefined where only this machine can reach the listener. */
  readonly bearer?: BearerOptions | undefined;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters;
}

/** The listener. */
export interface MetricsListener extends ManagedServer {
  /** Takes other tokens from now on; no effect where none are needed. */
  replaceTokens(bearer: BearerOptions): void;
}

/** Builds the listener; it does not listen yet. */
export function createMetricsListener(options: MetricsListenerOptions): MetricsListener {
  const guard = { bearer: options.bearer === undefined ? undefined : new BearerVerifier(options.bearer) };
  const app = strictApp();
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route("/metrics")
    .get(counted(options.counters, "GET", "/metrics"), allowScraper(guard), async (_request, response) => {
      const { contentType, body } = await options.render();
      response.writeHead(200, { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) });
      response.end(body);
    })
    .all(counted(options.counters), methodNotAllowed(["GET", "HEAD"]));
  app.use(healthRoutes(options.health, options.counters), router, ...unrouted(options));
  const managed = createManagedServer({
    headersBytes: options.limits.headersBytes,
    requestTimeoutMs: options.limits.requestTimeoutMs,
    handler: (request, response) => app(request as never, response as never),
  });
  return {
    ...managed,
    replaceTokens: (bearer) => {
      if (guard.bearer !== undefined) guard.bearer = new BearerVerifier(bearer);
    },
  };
}

function allowScraper(guard: { readonly bearer: BearerVerifier | undefined }): RequestHandler {
  return async (request, _response, next) => {
    if (guard.bearer !== undefined) requireScope(await guard.bearer.verify(request), "metrics");
    next();
  };
}
