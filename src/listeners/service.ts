/** The service listener: decisions for servers, gateways and services (security.md §1.3). */

import type { ServerResponse } from "node:http";
import { type Express, Router } from "express";
import {
  type AuthorizationHandler,
  type AuthorizationOptions,
  authorizationHandler,
  authorizationOperations,
} from "../api/data-server/authorization-api.ts";
import { accessRoutes } from "../api/decisions/access-routes.ts";
import { PageTokens } from "../api/decisions/page-tokens.ts";
import { searchRoutes } from "../api/decisions/search-routes.ts";
import {
  type ForwardAuthHandler,
  type ForwardAuthOptions,
  forwardAuthHandler,
} from "../api/forward-auth/forward-auth.ts";
import { openApiDocument } from "../api/openapi/build-document.ts";
import { openApiRoutes } from "../api/openapi/openapi-route.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { Admission } from "../http/admission.ts";
import { type BearerOptions, BearerVerifier } from "../http/bearer.ts";
import type { BodyRoute, Edge } from "../http/exchange.ts";
import type { HttpLimits } from "../http/limits.ts";
import type { HttpLog } from "../http/ports.ts";
import { serve } from "../http/serve.ts";
import { createManagedServer, type ManagedServer, type TlsMaterial } from "../http/server-lifecycle.ts";
import type { ServiceRequest } from "../http/service-request.ts";
import { counted, methodNotAllowed, strictApp, unrouted } from "../http/unrouted.ts";
import type { HttpCounters } from "../observe/http-counters.ts";
import { type Health, healthRoutes } from "./health.ts";
import { metadataRoutes } from "./metadata.ts";

/** Options of {@link createServiceListener}. */
export interface ServiceListenerOptions {
  /** Version of the package. */
  readonly version: string;
  readonly decisions: Decisions;
  readonly bearer: BearerOptions;
  readonly limits: HttpLimits;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters;
  /** Keys of page tokens, the first of which seals; default one that ends with the process. */
  readonly pageTokenKeys?: readonly Buffer[];
  /** Give every request an id (wanted where decisions are audited); default: only those that bring one. */
  readonly alwaysRequestId?: boolean;
  readonly tls?: TlsMaterial;
  /** What the AuthZEN metadata tell of this PDP's URL; absent: nothing. */
  readonly metadata?: {
    /** `authorizer.public_url`. */
    readonly publicUrl?: string | undefined;
    /** Only this machine reaches the listener, so that its own address may be told. */
    readonly loopback: boolean;
  };
  /** Host names of the S3 gateway (`gateways.s3.domain_name`); default none. */
  readonly s3Domains?: readonly string[];
  /** `/forward-auth`; absent: not served. */
  readonly forwardAuth?: ForwardAuthOptions;
  /** The authorization API; absent: not served. */
  readonly authorization?: AuthorizationOptions;
}

/** The listener. */
export interface ServiceListener extends ManagedServer {
  /** Takes other tokens from now on; throws "invalid_request" and keeps the old ones when they are faulty. */
  replaceTokens(bearer: BearerOptions): void;
}

/** Builds the listener; it does not listen yet. */
export function createServiceListener(options: ServiceListenerOptions): ServiceListener {
  const { decisions, limits, log, counters } = options;
  const life: { managed?: ManagedServer } = {};
  const edge: Edge = {
    bearer: new BearerVerifier(options.bearer),
    admission: new Admission(limits, counters),
    counters,
    limits,
    log,
    alwaysRequestId: options.alwaysRequestId ?? false,
    stopping: () => life.managed?.stopping() ?? false,
  };
  const routes = [
    ...accessRoutes(decisions, edge, options.s3Domains ?? []),
    ...searchRoutes(decisions, edge, new PageTokens(options.pageTokenKeys)),
  ];
  const { authorization, forwardAuth } = options;
  const ofProxies = forwardAuth === undefined ? () => false : forwardAuthHandler(edge, forwardAuth);
  const api =
    authorization === undefined
      ? () => false
      : authorizationHandler(edge, authorizationOperations(authorization, decisions));
  const managed = createManagedServer({
    headersBytes: limits.headersBytes,
    requestTimeoutMs: limits.requestTimeoutMs,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    handler: hotPathsFirst(
      edge,
      routes,
      [ofProxies, api],
      expressApp(edge, routes, options, () => life.managed?.url()),
    ),
  });
  life.managed = managed;
  return {
    ...managed,
    replaceTokens: (bearer) => {
      edge.bearer = new BearerVerifier(bearer);
    },
  };
}

/**
 * Serves hot routes by their exact target, before Express; with a query they go the long way to the same code. The
 * authorization API and forward-auth read raw targets, so all of them comes before Express.
 */
function hotPathsFirst(
  edge: Edge,
  routes: readonly BodyRoute[],
  rawTargets: readonly [ForwardAuthHandler, AuthorizationHandler],
  app: Express,
) {
  const [ofProxies, api] = rawTargets;
  const hot = routes.filter(({ priority }) => priority === "hot");
  // Comparing three texts of different lengths takes less than hashing one.
  const find = (target: string) => {
    for (const route of hot) if (route.path === target) return route;
    return undefined;
  };
  return (request: ServiceRequest, response: ServerResponse) => {
    const route = request.method === "POST" ? find(request.url as string) : undefined;
    if (route !== undefined) serve(edge, route, request, response, true);
    else if (!ofProxies(request, response) && !api(request, response))
      app(request as never, response as never);
  };
}

function expressApp(
  edge: Edge,
  routes: readonly BodyRoute[],
  { health, version, metadata = { loopback: false } }: ServiceListenerOptions,
  ownUrl: () => string | undefined,
): Express {
  const app = strictApp();
  const router = Router({ strict: true, caseSensitive: true });
  for (const route of routes) {
    router
      .route(route.path)
      .post((request, response) => serve(edge, route, request as unknown as ServiceRequest, response))
      .all(counted(edge.counters), methodNotAllowed(["POST"]));
  }
  const { counters } = edge;
  const pdp = {
    publicUrl: metadata.publicUrl,
    ownUrl: metadata.loopback ? ownUrl : () => undefined,
  };
  const open = [
    healthRoutes(health, counters),
    openApiRoutes(() => openApiDocument(version), counters),
    metadataRoutes(pdp, counters),
  ];
  app.use(...open, router, ...unrouted(edge));
  return app;
}
