/** The HTTP layer without the service behind it, with a handler or routes of a test. */

import { Admission } from "../../src/http/admission.ts";
import { ANONYMOUS, mount } from "../../src/http/route.ts";
import { routed } from "../../src/http/router.ts";
import {
  createManagedServer,
  type ManagedServer,
  type ManagedServerOptions,
} from "../../src/http/server/server-lifecycle.ts";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { DEFAULT_LIMITS } from "./default-limits.ts";
import { MemoryLog } from "./service-kit.ts";

/** Parts of a server that a test sets itself. */
type OwnParts = Omit<ManagedServerOptions, "admission" | "handler" | "tls"> & {
  readonly tls: ManagedServerOptions["tls"] | undefined;
};

/** A server that answers with a handler; it does not listen yet. */
export function bareServer(
  handler: ManagedServerOptions["handler"],
  { counters = createHttpCounters(), limits = DEFAULT_LIMITS, tls, ...parts }: Partial<OwnParts> = {},
): ManagedServer {
  return createManagedServer({
    admission: new Admission(limits, counters),
    counters,
    limits,
    log: new MemoryLog(false),
    handler,
    ...parts,
    ...(tls !== undefined && { tls }),
  });
}

/** A server with routes; by default anybody may call them. */
export function bareRoutes(
  routes: Parameters<typeof mount>[1],
  {
    api = { authenticate: () => ANONYMOUS },
    ...parts
  }: Partial<OwnParts> & { readonly api?: Parameters<typeof mount>[0] } = {},
): ManagedServer {
  const { counters = createHttpCounters() } = parts;
  const handler = routed({ routes: mount(api, routes, counters), decode: (segment) => segment });
  return bareServer(handler, { ...parts, counters });
}
