/** The listeners that every service has, over its parts. */

import { limitsOf } from "../../config/limits.ts";
import { isLoopbackHost, parseListenAddress } from "../../config/values/listen-address.ts";
import { RepeatableSetup } from "../../directory/write/repeatable-setup.ts";
import type { ConnectionPlaces } from "../../http/server/connection-places.ts";
import type { ManagedServer } from "../../http/server/server-lifecycle.ts";
import type { Health } from "../../listeners/health.ts";
import { createMetricsListener, type MetricsListener } from "../../listeners/metrics.ts";
import { createServiceListener, type ServiceListener } from "../../listeners/service.ts";
import { serviceTls, userTls } from "../../listeners/tls.ts";
import { createUserListener } from "../../listeners/user.ts";
import type { AuditLog } from "../../observe/log/audit-log.ts";
import type { ReadableHttpCounters } from "../../observe/metrics/create-http-counters.ts";
import type { Metrics } from "../../observe/metrics/metrics.ts";
import { authenticationOptions } from "../apis/authentication.ts";
import { changeOptions } from "../apis/changes.ts";
import { consolePages } from "../apis/console.ts";
import { forwardAuth } from "../apis/forward-auth.ts";
import { helpPages } from "../apis/help.ts";
import { type ManagementParts, managementOptions } from "../apis/management.ts";
import { scimOptions } from "../apis/scim.ts";
import { stsOptions } from "../apis/sts.ts";
import type { DataParts } from "../data.ts";
import { countingDirectory } from "../records/usage.ts";
import { requestTraces } from "../traces.ts";
import { bearerOptions, httpLog, pageTokenKeys } from "./listener-settings.ts";

/** The parts of all connections that listeners may have; the service listener may have all (spec/security §5.3). */
const USER_SHARE = 1 / 2;
const METRICS_SHARE = 1 / 16;

/** The parts that all listeners share. */
interface ListeningParts {
  readonly http: ReadableHttpCounters;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly audit: AuditLog;
  readonly places: ConnectionPlaces;
}

/** The listeners, and what the primary of several workers changes of them. */
interface ServiceListeners {
  readonly service: ServiceListener;
  readonly user: ManagedServer;
  readonly scrape: MetricsListener;
  /** Makes the metrics listener answer with another text. */
  readonly setMetrics: (render: () => Promise<string>) => void;
}

/** Builds the listeners; they do not listen yet. Throws where a file that they need cannot be read. */
export function openListeners(
  data: DataParts,
  working: ManagementParts,
  { http, health, metrics, audit, places }: ListeningParts,
): ServiceListeners {
  const { values, logger, revisions } = data;
  const shortcuts = values["authorizer.http_shortcuts"];
  const shared = { limits: limitsOf(values), shortcuts, health, log: httpLog(logger, audit), counters: http };
  const bearer = bearerOptions(values);
  const traced = (callers: "people" | "programs") => ({ traces: requestTraces(data, callers) });
  const rendered = { render: async () => metrics.text() };
  return {
    setMetrics: (render) => {
      rendered.render = render;
    },
    service: createServiceListener({
      ...shared,
      ...traced("programs"),
      ...serviceTls(values),
      places: places.ofListener(1),
      ...serviceApis(data, working),
      scim: scimOptions(data, audit),
      authentication: authenticationOptions(data, working, audit),
      bearer,
      revisions,
      changes: changeOptions(data),
    }),
    user: createUserListener({
      ...shared,
      ...traced("people"),
      ...userTls(values),
      places: places.ofListener(USER_SHARE),
      management: managementOptions(data, working),
      sts: stsOptions(data, working),
      revisions,
      pages: [...consolePages(values, logger), ...helpPages(values, working.version)],
    }),
    scrape: createMetricsListener({
      ...shared,
      places: places.ofListener(METRICS_SHARE),
      render: async () => ({ contentType: metrics.contentType, body: await rendered.render() }),
      bearer: isLocal(values["authorizer.metrics_address"]) ? undefined : bearer,
    }),
  };
}

/** The APIs of the service listener. */
function serviceApis(data: DataParts, working: ManagementParts) {
  const { values, directory, catalog, logger } = data;
  const { audit, decisions, identities, invitations, usage, version } = working;
  return {
    version,
    decisions,
    s3Domains: values["gateways.s3.domain_name"],
    pageTokenKeys: pageTokenKeys(values),
    forwardAuth: forwardAuth(data, decisions, identities),
    metadata: {
      publicUrl: values["authorizer.public_url"],
      loopback: isLocal(values["authorizer.listen_address"]),
    },
    dataServer: {
      directory: usage === undefined ? directory : countingDirectory(directory, usage.counts),
      setup: new RepeatableSetup(directory, catalog.preconfigured),
      policySet: catalog,
      vocabulary: catalog,
      audit,
      log: logger,
      version,
      invitations,
    },
  };
}

function isLocal(address: string): boolean {
  const host = parseListenAddress(address)?.host;
  return host !== undefined && isLoopbackHost(host);
}
