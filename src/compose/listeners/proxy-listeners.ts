/** The listeners that proxies talk to, where the configuration has them. */

import { PageTokens } from "../../api/decisions/search/page-tokens.ts";
import { limitsOf } from "../../config/limits.ts";
import type { ConnectionPlaces } from "../../http/server/connection-places.ts";
import type { ManagedServer } from "../../http/server/server-lifecycle.ts";
import type { ExtAuthzListener } from "../../listeners/ext-authz.ts";
import type { Health } from "../../listeners/health.ts";
import { createStreamingListener } from "../../listeners/streaming.ts";
import { serviceTls } from "../../listeners/tls.ts";
import type { AuditLog } from "../../observe/log/audit-log.ts";
import type { ReadableHttpCounters } from "../../observe/metrics/create-http-counters.ts";
import { forwardAuth } from "../apis/forward-auth.ts";
import type { ManagementParts } from "../apis/management.ts";
import type { DataParts } from "../data.ts";
import { assertPackages } from "../needed-packages.ts";
import { requestTraces } from "../traces.ts";
import { bearerOptions, httpLog, pageTokenKeys } from "./listener-settings.ts";

/** Parts of the listeners besides data and APIs. */
interface ProxyListeningParts {
  readonly http: ReadableHttpCounters;
  readonly health: Health;
  readonly audit: AuditLog;
  readonly places: ConnectionPlaces;
}

/** The parts of all connections that each of them may have (spec/security §5.3). */
const EXT_AUTHZ_SHARE = 1 / 2;
const STREAMING_SHARE = 1 / 2;

/** The listener for Envoy; nothing of gRPC is loaded without it. */
export async function openExtAuthz(
  data: DataParts,
  { decisions, identities }: ManagementParts,
  { http, health, audit, places }: ProxyListeningParts,
): Promise<ExtAuthzListener | undefined> {
  const { values, logger, revisions } = data;
  if (values["authorizer.ext_authz.listen_address"] === undefined) return undefined;
  assertPackages(values, "authorizer.ext_authz.listen_address");
  const { createExtAuthzListener, MOST_CONNECTIONS } = await import("../../listeners/ext-authz.ts");
  return createExtAuthzListener({
    extAuthz: forwardAuth(data, decisions, identities),
    bearer: bearerOptions(values),
    limits: limitsOf(values),
    health,
    log: httpLog(logger, audit),
    counters: http,
    places: places.ofListener(EXT_AUTHZ_SHARE, MOST_CONNECTIONS),
    ...serviceTls(values),
    revisions,
    traces: requestTraces(data, "programs"),
  });
}

/** The listener for bodies that are signed in chunks. */
export function openStreaming(
  data: DataParts,
  { decisions, identities }: ManagementParts,
  { http, audit, places }: ProxyListeningParts,
): ManagedServer | undefined {
  const { values, logger, revisions } = data;
  const upstream = values["authorizer.exchange.upstream"];
  const options = forwardAuth(data, decisions, identities);
  const { exchange } = options;
  const key = values["authorizer.exchange.name_in_metadata"];
  const isOn = values["authorizer.exchange.streaming_address"] !== undefined;
  if (!isOn || upstream === undefined || exchange === undefined) return undefined;
  const tokens = new PageTokens(pageTokenKeys(values));
  return createStreamingListener({
    streaming: {
      ...{ ...options, exchange, upstream },
      nameInMetadata: key === "off" ? undefined : key,
      offsets: {
        seal: (after, request) => tokens.seal({ limit: 0, after }, request),
        open: (sealed, request) => tokens.open(sealed, request)?.after,
      },
    },
    limits: limitsOf(values),
    log: httpLog(logger, audit),
    counters: http,
    places: places.ofListener(STREAMING_SHARE),
    ...serviceTls(values),
    revisions,
    traces: requestTraces(data, "programs"),
  });
}
