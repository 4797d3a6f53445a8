/**
 * The user listener: people, `svcctl`, browsers (security.md §1.3). Probes, management API, the page behind
 * invitations.
 */

import type { ServerResponse } from "node:http";
import helmet from "helmet";
import {
  type ManagementHandler,
  type ManagementOptions,
  managementHandler,
  managementOperations,
} from "../api/management/management-api.ts";
import { userOpenApiDocument } from "../api/openapi/build-user-document.ts";
import { openApiRoutes } from "../api/openapi/openapi-route.ts";
import { Admission } from "../http/admission.ts";
import type { ListenerEdge } from "../http/exchange.ts";
import type { HttpLimits } from "../http/limits.ts";
import type { HttpLog } from "../http/ports.ts";
import { createManagedServer, type ManagedServer, type TlsMaterial } from "../http/server-lifecycle.ts";
import type { ServiceRequest } from "../http/service-request.ts";
import { strictApp, unrouted } from "../http/unrouted.ts";
import type { HttpCounters } from "../observe/http-counters.ts";
import { type Health, healthRoutes } from "./health.ts";

/** Options of {@link createUserListener}. */
export interface UserListenerOptions {
  readonly limits: HttpLimits;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters;
  readonly tls?: TlsMaterial;
  /** The management API and its document; absent: not served. */
  readonly management?: ManagementOptions;
}

/** Builds the listener; it does not listen yet. */
export function createUserListener(options: UserListenerOptions): ManagedServer {
  const { limits, log, counters } = options;
  const life: { managed?: ManagedServer } = {};
  const edge: ListenerEdge = {
    admission: new Admission(limits, counters),
    counters,
    limits,
    log,
    alwaysRequestId: true,
    stopping: () => life.managed?.stopping() ?? false,
  };
  const app = strictApp();
  app.use(healthRoutes(options.health, counters));
  let api: ManagementHandler = () => false;
  const { management } = options;
  if (management !== undefined) {
    api = managementHandler({ ...management, edge }, managementOperations(management));
    app.use(openApiRoutes(() => userOpenApiDocument(management.version), counters));
  }
  app.use(...unrouted(options));
  const headers = securityHeaders(options.tls !== undefined);
  life.managed = createManagedServer({
    headersBytes: limits.headersBytes,
    requestTimeoutMs: limits.requestTimeoutMs,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    handler: (request: ServiceRequest, response: ServerResponse) =>
      headers(request, response, () => {
        if (!api(request, response)) app(request as never, response as never);
      }),
  });
  return life.managed;
}

/**
 * Headers of every answer, for browsers (security.md §6). There are none for other origins: CORS is off. A page brings
 * a policy of its own, which replaces this one.
 */
function securityHeaders(tls: boolean) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: tls,
    xFrameOptions: { action: "deny" },
  });
}
