/** The user listener: people, `svcctl`, browsers (design §1). It serves the probes; all else is unknown to it. */

import type { HttpCounters } from "../observe/http-counters.ts";
import { type Health, healthRoutes } from "./health.ts";
import type { HttpLimits } from "./limits.ts";
import type { HttpLog } from "./ports.ts";
import { createManagedServer, type ManagedServer, type TlsMaterial } from "./server-lifecycle.ts";
import { strictApp, unrouted } from "./unrouted.ts";

/** Options of {@link createUserListener}. */
export interface UserListenerOptions {
  readonly limits: Pick<HttpLimits, "headersBytes" | "requestTimeoutMs">;
  readonly health: Health;
  readonly log: HttpLog;
  readonly counters: HttpCounters;
  readonly tls?: TlsMaterial;
}

/** Builds the listener; it does not listen yet. */
export function createUserListener(options: UserListenerOptions): ManagedServer {
  const app = strictApp();
  app.use(healthRoutes(options.health, options.counters), ...unrouted(options));
  return createManagedServer({
    headersBytes: options.limits.headersBytes,
    requestTimeoutMs: options.limits.requestTimeoutMs,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    handler: (request, response) => app(request as never, response as never),
  });
}
