/** The running service: decisions over data, listeners over decisions, and the order in which all start and stop. */

import { isLoopbackHost, parseListenAddress } from "../config/listen-address.ts";
import { readServiceTokens } from "../config/service-tokens.ts";
import type { ConfigValues } from "../config/table.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { openDecisions } from "../decisions/open-decisions.ts";
import { SetupRepeat } from "../directory/setup-repeat.ts";
import type { BearerOptions } from "../http/bearer.ts";
import { Health } from "../http/health.ts";
import { createMetricsListener } from "../http/metrics-listener.ts";
import type { ManagedServer } from "../http/server-lifecycle.ts";
import { createServiceListener } from "../http/service-listener.ts";
import { createUserListener } from "../http/user-listener.ts";
import type { Invitations } from "../mail/invitations.ts";
import { type AuditLog, createAuditLog } from "../observe/audit-log.ts";
import { createHttpCounters } from "../observe/create-http-counters.ts";
import { createMetrics, type Metrics } from "../observe/metrics.ts";
import { bootstrapStore } from "./bootstrap.ts";
import type { DataParts } from "./data.ts";
import { type DatasetState, loadConfiguredDatasets } from "./datasets.ts";
import { httpLimits } from "./http-limits.ts";
import { httpLog } from "./http-log.ts";
import { openServiceInvitations } from "./invitations.ts";
import { listenAt } from "./listen.ts";
import { serviceTls, userTls } from "./tls.ts";

/** How to start. */
export interface ServiceOptions {
  /** Version of this package. */
  readonly version: string;
  /** Reads environment variables, for secrets that data sets name. */
  readonly env: (name: string) => string | undefined;
  /** Take the next free port where one is busy (quick start). */
  readonly nextFreePort?: boolean;
}

/** URLs with the real addresses. */
export interface ServiceAddresses {
  readonly service: string;
  readonly user: string;
  readonly metrics: string;
}

/** A service that answers. */
export interface RunningService {
  readonly addresses: ServiceAddresses;
  readonly data: DataParts;
  readonly decisions: Decisions;
  /** Reads data sets, tokens and certificates again; what is faulty stays as it was and is logged. */
  reload(values: ConfigValues): Promise<void>;
  /** Stops: not ready at once, `authorizer.shutdown_delay`, then what is in flight is finished. */
  stop(): Promise<void>;
}

/** Starts the service on opened data, which {@link RunningService.stop} closes; so does a failed start. */
export async function startService(data: DataParts, options: ServiceOptions): Promise<RunningService> {
  const parts = await openParts(data, options);
  try {
    const addresses = await listenAll(parts, options);
    parts.invitations.start();
    parts.health.state = "ready";
    data.logger.info("ready", { ...addresses, version: options.version });
    let stopped: Promise<void> | undefined;
    return {
      addresses,
      data,
      decisions: parts.decisions,
      reload: (values) => reload(parts, values, options),
      stop: () => {
        stopped ??= stop(parts);
        return stopped;
      },
    };
  } catch (error) {
    await closeParts(parts);
    throw error;
  }
}

type ServiceListener = ReturnType<typeof createServiceListener>;
type MetricsListener = ReturnType<typeof createMetricsListener>;

interface Parts {
  readonly data: DataParts;
  readonly audit: AuditLog;
  readonly decisions: Decisions;
  readonly datasets: DatasetState;
  readonly invitations: Invitations;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly service: ServiceListener;
  readonly user: ManagedServer;
  readonly scrape: MetricsListener;
}

async function openParts(data: DataParts, options: ServiceOptions): Promise<Parts> {
  const { values, logger, directory, catalog } = data;
  const audit = createAuditLog({
    output: values["authorizer.audit.output"],
    decisions: values["authorizer.audit.decisions"],
    logger,
  });
  const datasets: DatasetState = { lastLoadSuccess: undefined };
  await bootstrapStore(data, audit);
  await loadConfiguredDatasets(data, values, datasets, options.env);
  const decisions = await openServiceDecisions(data, audit);
  const invitations = openServiceInvitations(data);
  const http = createHttpCounters();
  const metrics = createMetrics({
    build: { version: options.version, policiesVersion: catalog.digest },
    decisions: decisions.counters,
    http,
    store: data.storeCounters,
    audit: audit.counters,
    log: logger,
    datasets,
    mail: invitations.counters,
  });
  const health = new Health({ checkStore: () => directory.health() });
  const shared = { limits: httpLimits(values), health, log: httpLog(logger, audit), counters: http };
  const bearer = bearerOptions(values);
  return {
    data,
    audit,
    decisions,
    datasets,
    invitations,
    health,
    metrics,
    service: createServiceListener({
      ...shared,
      ...serviceTls(values),
      version: options.version,
      decisions,
      bearer,
      authorization: {
        directory,
        setup: new SetupRepeat(directory, catalog.preconfigured),
        vocabulary: catalog,
        audit,
        log: logger,
        version: options.version,
        invitations,
      },
      alwaysRequestId: audit.decisions !== "none",
    }),
    user: createUserListener({ ...shared, ...userTls(values) }),
    scrape: createMetricsListener({
      ...shared,
      render: async () => ({ contentType: metrics.contentType, body: await metrics.text() }),
      bearer: isLocal(values["authorizer.metrics_address"]) ? undefined : bearer,
    }),
  };
}

function openServiceDecisions(
  { values, directory, catalog, logger }: DataParts,
  audit: AuditLog,
): Promise<Decisions> {
  return openDecisions({
    directory,
    catalog,
    audit,
    cache: {
      enabled: values["auth.cache.enabled"],
      size: values["auth.cache.size"],
      ttl: values["auth.cache.ttl"],
      jitter: values["auth.cache.jitter"],
    },
    requestProperties: values["authorizer.request_properties"],
    effectivePolicies: values["authorizer.effective_policies"],
    onRewritten: (policy) =>
      logger.warn("a data server gets a policy in another form, as it cannot evaluate it", { ...policy }),
  });
}

function isLocal(address: string): boolean {
  const host = parseListenAddress(address)?.host;
  return host !== undefined && isLoopbackHost(host);
}

/** Who may call, as the verifier takes it; files of tokens are read anew. */
function bearerOptions(values: ConfigValues): BearerOptions {
  return {
    apiToken: values["auth.api.token"],
    secretKey: values["auth.encrypt.secret_key"],
    previousSecretKey: values["authorizer.previous_secret_key"],
    tokens: readServiceTokens(values["authorizer.tokens"]).map(({ name, digest, scopes }) => ({
      name,
      tokenSha256: digest.toString("hex"),
      scopes: [...scopes],
    })),
  };
}

async function listenAll(parts: Parts, options: ServiceOptions): Promise<ServiceAddresses> {
  const { values } = parts.data;
  const nextFreePort = options.nextFreePort ?? false;
  const at = (
    item: "authorizer.listen_address" | "authorizer.user_listen_address" | "authorizer.metrics_address",
  ) => ({
    item,
    address: values[item],
    nextFreePort,
  });
  return {
    service: await listenAt(parts.service, at("authorizer.listen_address")),
    user: await listenAt(parts.user, at("authorizer.user_listen_address")),
    metrics: await listenAt(parts.scrape, at("authorizer.metrics_address")),
  };
}

async function reload(parts: Parts, values: ConfigValues, options: ServiceOptions): Promise<void> {
  const { data, audit } = parts;
  data.logger.reopen();
  audit.reopen();
  try {
    const bearer = bearerOptions(values);
    parts.service.replaceTokens(bearer);
    parts.scrape.replaceTokens(bearer);
    audit.event("reload", { what: "tokens" });
  } catch (error) {
    data.logger.error("tokens could not be read again; the former ones stay in force", { error });
  }
  try {
    await loadConfiguredDatasets(data, values, parts.datasets, options.env);
    audit.event("reload", { what: "data sets" });
  } catch (error) {
    data.logger.error("data sets could not be loaded again; the former data stay in force", { error });
  }
}

async function stop(parts: Parts): Promise<void> {
  const { values, logger } = parts.data;
  parts.health.state = "stopping";
  logger.info("stopping", { delay_ms: values["authorizer.shutdown_delay"] });
  await new Promise((resolve) => setTimeout(resolve, values["authorizer.shutdown_delay"]));
  await closeParts(parts);
}

async function closeParts(parts: Parts): Promise<void> {
  await Promise.all([parts.service.close(), parts.user.close(), parts.scrape.close()]);
  await parts.invitations.close();
  parts.decisions.close();
  parts.metrics.close();
  await parts.audit.close();
  await parts.data.close();
}
