/** The user listener: people, `svcctl`, browsers (design §1). Probes, management API, the page behind invitations. */

import type { ServerResponse } from "node:http";
import helmet from "helmet";
import type { HttpCounters } from "../observe/http-counters.ts";
import { Admission } from "./admission.ts";
import type { ListenerEdge } from "./exchange.ts";
import { type Health, healthRoutes } from "./health.ts";
import type { HttpLimits } from "./limits.ts";
import {
  type ManagementHandler,
  type ManagementOptions,
  managementHandler,
  managementOperations,
} from "./management/management-api.ts";
import { userOpenApiDocument } from "./openapi/build-user-document.ts";
import { openApiRoutes } from "./openapi/openapi-route.ts";
import type { HttpLog } from "./ports.ts";
import { createManagedServer, type ManagedServer, type TlsMaterial } from "./server-lifecycle.ts";
import type { ServiceRequest } from "./service-request.ts";
import { strictApp, unrouted } from "./unrouted.ts";

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
