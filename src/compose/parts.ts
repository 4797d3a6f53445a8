/** The parts of the running service, opened in their order: what comes later is built on what came before. */

import { availableParallelism } from "node:os";
import type { ServiceSetup } from "../bootstrap/setup.ts";
import { cacheSettings } from "../config/cache-settings.ts";
import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";
import { isLoopbackHost, parseListenAddress } from "../config/values/listen-address.ts";
import { workerCount } from "../config/values/worker-count.ts";
import { decisionIds } from "../decisions/decision-ids.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { openDecisions } from "../decisions/open-decisions.ts";
import type { ServiceShadow } from "../decisions/shadow/service-shadow.ts";
import { shadowed } from "../decisions/shadow/shadowed-decisions.ts";
import { RepeatableSetup } from "../directory/write/repeatable-setup.ts";
import type { ConnectionPlaces } from "../http/server/connection-places.ts";
import type { ManagedServer } from "../http/server/server-lifecycle.ts";
import type { Identities } from "../identity/identity.ts";
import { Activity } from "../insight/overview/activity.ts";
import type { ExtAuthzListener } from "../listeners/ext-authz.ts";
import { createMetricsListener, type MetricsListener } from "../listeners/metrics.ts";
import { createServiceListener, type ServiceListener } from "../listeners/service.ts";
import { serviceTls, userTls } from "../listeners/tls.ts";
import { createUserListener } from "../listeners/user.ts";
import type { OpenedInvitations } from "../mail/open-invitations.ts";
import type { PasswordResets } from "../mail/password-resets.ts";
import { type AuditLog, createAuditLog } from "../observe/log/audit-log.ts";
import { createHttpCounters, type ReadableHttpCounters } from "../observe/metrics/create-http-counters.ts";
import { createMetrics, type Metrics } from "../observe/metrics/metrics.ts";
import type { Endpoints } from "../request-map/endpoints.ts";
import { openEndpoints } from "../request-map/open-endpoints.ts";
import { WorkUnderWay } from "../schedule/work-under-way.ts";
import { tracedDecisions } from "../tracing/traced-decisions.ts";
import type { Traces } from "../tracing/traces.ts";
import type { OpenedUsage } from "../usage/open-usage.ts";
import { openAccess, type ServiceAccess } from "./apis/access.ts";
import { authenticationOptions, principalFinder } from "./apis/authentication.ts";
import { changeOptions } from "./apis/changes.ts";
import { consolePages } from "./apis/console.ts";
import { openEscalationCheck, type ServiceEscalationCheck } from "./apis/escalation.ts";
import { forwardAuth } from "./apis/forward-auth.ts";
import { helpPages } from "./apis/help.ts";
import { openServiceIdentities } from "./apis/identities.ts";
import { openServiceInvitations } from "./apis/invitations.ts";
import { type ManagementParts, managementOptions } from "./apis/management.ts";
import { openPolicyChecks, type ServicePolicyChecks } from "./apis/policy-checks.ts";
import { scimOptions } from "./apis/scim.ts";
import { openServiceSetup } from "./apis/setup.ts";
import { openServiceSignIns } from "./apis/sign-ins.ts";
import { type OpenedStatus, openStatus } from "./apis/status.ts";
import { stsOptions } from "./apis/sts.ts";
import type { DataParts } from "./data.ts";
import type { DatasetState } from "./datasets.ts";
import { fillStore } from "./fill-store.ts";
import { connectionPlaces } from "./listeners/connection-limits.ts";
import { bearerOptions, httpLog, pageTokenKeys } from "./listeners/listener-settings.ts";
import { openHealth } from "./listeners/open-health.ts";
import { openExtAuthz, openStreaming } from "./listeners/proxy-listeners.ts";
import { openServiceMirroring, readOnlyMirrors, type ServiceMirroring } from "./mirroring.ts";
import { subjectTokens } from "./oidc.ts";
import { type ServiceAudit, withAuditTrail } from "./records/audit-trail.ts";
import { nodeName, openServiceDecisionLog, type ServiceDecisionLog } from "./records/decision-log.ts";
import { openConfiguredShadow } from "./records/shadow.ts";
import { countingDirectory, countingIdentities, openServiceUsage } from "./records/usage.ts";
import type { WorkerRole } from "./workers/worker-role.ts";

/** Options of a start. */
export interface ServiceOptions {
  /** Version of this package. */
  readonly version: string;
  /** Reads environment variables, for secrets that data sets name. */
  readonly env: (name: string) => string | undefined;
  /** Take the next free port if one is busy (quick start). */
  readonly nextFreePort?: boolean;
  /** Set in a process that is one of several workers: the primary installs content, loads data sets and sends mails. */
  readonly worker?: WorkerRole;
}

/** Everything that runs. */
export interface ServiceParts {
  readonly data: DataParts;
  readonly audit: AuditLog;
  /** undefined if no decisions are logged. */
  readonly decisionLog: ServiceDecisionLog | undefined;
  /** undefined if use is not counted. */
  readonly usage: OpenedUsage | undefined;
  readonly access: ServiceAccess | undefined;
  readonly decisions: Decisions;
  /** undefined if no candidate is configured. */
  readonly shadow: ServiceShadow | undefined;
  readonly identities: Identities;
  readonly datasets: DatasetState;
  readonly reloads: WorkUnderWay;
  readonly invitations: OpenedInvitations;
  /** undefined where this service keeps no passwords. */
  readonly passwordResets: PasswordResets | undefined;
  /** undefined if no region may have mirrors. */
  readonly mirroring: ServiceMirroring | undefined;
  readonly setup: ServiceSetup;
  readonly escalationCheck: ServiceEscalationCheck;
  readonly policyChecks: ServicePolicyChecks;
  readonly activity: Activity;
  readonly status: OpenedStatus;
  readonly health: ReturnType<typeof openHealth>;
  readonly metrics: Metrics;
  /** Makes the metrics listener answer with another text. */
  readonly setMetrics: (render: () => Promise<string>) => void;
  readonly service: ServiceListener;
  readonly user: ManagedServer;
  /** Undefined without `authorizer.ext_authz.listen_address`. */
  readonly extAuthz: ExtAuthzListener | undefined;
  /** Undefined without `authorizer.exchange.streaming_address`. */
  readonly streaming: ManagedServer | undefined;
  readonly scrape: MetricsListener;
}

/** Opens everything but the listening. Throws what a faulty data set, store or audit output throws. */
export async function openParts(data: DataParts, options: ServiceOptions): Promise<ServiceParts> {
  const opened = await openAudit(data, options);
  try {
    return await openAudited(data, options, opened);
  } catch (error) {
    // It has locked its folder, and its sinks keep the process.
    await opened.audit.close();
    throw error;
  }
}

async function openAudited(
  data: DataParts,
  options: ServiceOptions,
  { audit, records: auditRecords, trail: auditTrail }: ServiceAudit,
): Promise<ServiceParts> {
  const { values, directory, catalog } = data;
  const datasets = await fillStore(data, options, audit);
  const endpoints = openEndpoints(catalog);
  const usage = openServiceUsage(data);
  const opened = await openServiceDecisions(data, audit, endpoints, usage);
  const { decisionLog } = opened;
  const shadow = await openShadow(data, endpoints, options);
  const decisions = shadow === undefined ? opened.decisions : shadowed(opened.decisions, shadow.shadow);
  const bareIdentities = openServiceIdentities(data, options.worker?.sharing);
  const identities = usage === undefined ? bareIdentities : countingIdentities(bareIdentities, usage.counts);
  const invitations = openServiceInvitations(data);
  const mirroring = openServiceMirroring(data, audit);
  const { version } = options;
  const activity = new Activity(opened.decisions.counters);
  const policyChecks = openPolicyChecks(data);
  const health = openHealth(data);
  const working = {
    audit,
    auditRecords,
    decisions,
    decisionLog,
    shadow: shadow && {
      node: nodeName(values),
      reports: options.worker?.shadowReports ?? (async () => [shadow.shadow.report()]),
    },
    usage,
    access: openAccess(data, usage, decisionLog),
    endpoints,
    identities,
    invitations,
    mirroring,
    setup: await openServiceSetup(data, options.worker),
    ...(await openServiceSignIns(data, invitations, options.worker?.sharing)),
    principals: principalFinder(data),
    escalationCheck: openEscalationCheck(directory, catalog),
    policyChecks,
    version,
    status: openStatus(data, {
      version,
      health,
      decisions: opened.decisions,
      decisionLog,
      policyChecks,
      activity: options.worker?.activity ?? (async () => activity.report()),
    }),
  };
  const http = createHttpCounters();
  const metrics = openMetrics(data, { ...working, decisionLog, auditTrail, shadow, datasets, http });
  const listening = { http, health, metrics, audit, places: connectionPlaces(values, http) };
  return {
    data,
    ...working,
    activity,
    decisionLog,
    shadow,
    datasets,
    reloads: new WorkUnderWay(),
    health,
    metrics,
    ...openListeners(data, working, listening),
    extAuthz: await openExtAuthz(data, working, listening),
    streaming: openStreaming(data, working, listening),
  };
}

function openAudit(data: DataParts, { worker }: ServiceOptions): Promise<ServiceAudit> {
  const { values, logger } = data;
  const audit = createAuditLog({
    output: values["authorizer.audit.output"],
    decisions: values["authorizer.audit.decisions"],
    logger,
    ...(worker !== undefined && { relay: worker.relayAudit }),
  });
  return withAuditTrail(data, audit);
}

/** The shadow of a process that answers: the primary of several workers does not. */
async function openShadow(
  data: DataParts,
  endpoints: Endpoints,
  { worker }: ServiceOptions,
): Promise<ServiceShadow | undefined> {
  const count = workerCount(data.values["authorizer.workers"], availableParallelism()) ?? 1;
  return worker === undefined && count > 1 ? undefined : openConfiguredShadow(data, endpoints);
}

/** The parts of all connections that listeners may have; the service listener may have all (spec/security §5.3). */
const USER_SHARE = 1 / 2;
const METRICS_SHARE = 1 / 16;

/** The parts that all listeners share. */
interface ListeningParts {
  readonly http: ReadableHttpCounters;
  readonly health: ReturnType<typeof openHealth>;
  readonly metrics: Metrics;
  readonly audit: AuditLog;
  readonly places: ConnectionPlaces;
}

/** Builds the listeners; they do not listen yet. */
function openListeners(
  data: DataParts,
  working: ManagementParts,
  { http, health, metrics, audit, places }: ListeningParts,
): Pick<ServiceParts, "service" | "user" | "scrape" | "setMetrics"> {
  const { values, logger, revisions } = data;
  const shortcuts = values["authorizer.http_shortcuts"];
  const shared = { limits: limitsOf(values), shortcuts, health, log: httpLog(logger, audit), counters: http };
  const bearer = bearerOptions(values);
  const traced = { traces: data.traces?.requests };
  const rendered = { render: async () => metrics.text() };
  return {
    setMetrics: (render) => {
      rendered.render = render;
    },
    service: createServiceListener({
      ...shared,
      ...traced,
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
      ...traced,
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

/** The parts that metrics read. */
interface Measured
  extends Pick<
    ServiceParts,
    "decisions" | "decisionLog" | "shadow" | "identities" | "datasets" | "mirroring"
  > {
  readonly invitations: ReturnType<typeof openServiceInvitations>;
  readonly audit: AuditLog;
  readonly auditTrail: ServiceAudit["trail"];
  readonly http: ReturnType<typeof createHttpCounters>;
  readonly version: string;
}

function openMetrics(data: DataParts, parts: Measured): Metrics {
  const { catalog, storeCounters, openSnapshots, logger, journal, engineTimes, revisions, traces } = data;
  const { decisions, decisionLog, shadow, identities, http, audit, datasets, invitations, version } = parts;
  return createMetrics({
    build: { version, policiesVersion: catalog.digest },
    decisions: decisions.counters,
    identities: identities.counters,
    http,
    store: storeCounters,
    audit: audit.counters,
    log: logger,
    datasets,
    mail: invitations.counters,
    mirrors: parts.mirroring?.counters,
    changes: { revision: () => revisions.newest, log: () => data.store.logId, journal, engineTimes },
    openSnapshots,
    traces: traces?.counters,
    auditTrail: parts.auditTrail,
    decisionLog: decisionLog && { counters: decisionLog.log.counters, sinks: decisionLog.sinks },
    shadow: shadow?.shadow.counters,
  });
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

async function openServiceDecisions(
  data: DataParts,
  audit: AuditLog,
  endpoints: Endpoints,
  usage: OpenedUsage | undefined,
): Promise<Pick<ServiceParts, "decisions" | "decisionLog">> {
  const { values, directory, catalog, logger, traces } = data;
  const limits = limitsOf(values);
  const nextId = decisionIds();
  const decisionLog = await openServiceDecisionLog(data, nextId, audit);
  const decisions = await openDecisions({
    directory,
    catalog,
    endpoints,
    audit,
    log: decisionLog?.log,
    usage: usage?.counts,
    mirrors: readOnlyMirrors(data),
    nextId,
    cache: cacheSettings(values),
    requestProperties: values["authorizer.request_properties"],
    unknownSubjects: values["authorizer.subjects.unknown"],
    subjectTypes: values["authorizer.subjects.types"],
    subjectTokens: subjectTokens(values, data.oidc),
    effectivePolicies: values["authorizer.effective_policies"],
    policiesPerUser: limits.policiesPerUser,
    requestLimits: limits,
    onTooMany: (found) =>
      logger.error("a user has more policies than authorizer.limits.policies_per_user: all is denied", {
        ...found,
      }),
    onRewritten: (policy) =>
      logger.warn("a data server gets a policy in another form, as it cannot evaluate it", { ...policy }),
  });
  return { decisions: traces === undefined ? decisions : traced(decisions, traces, values), decisionLog };
}

/** Decisions with spans, which leave out what the decision log masks. */
function traced(decisions: Decisions, traces: Traces, values: ConfigValues): Decisions {
  const masks = values["authorizer.decision_log.mask"];
  const masked = (part: string): boolean =>
    masks.some((mask) => mask === part || mask.startsWith(`${part}/`));
  return tracedDecisions(decisions, traces, { subject: masked("/subject"), resource: masked("/resource") });
}

function isLocal(address: string): boolean {
  const host = parseListenAddress(address)?.host;
  return host !== undefined && isLoopbackHost(host);
}
