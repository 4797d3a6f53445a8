/** The parts of the running service, opened in their order: what comes later is built on what came before. */

import { availableParallelism } from "node:os";
import type { ServiceSetup } from "../bootstrap/setup.ts";
import { cacheSettings } from "../config/cache-settings.ts";
import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";
import { workerCount } from "../config/values/worker-count.ts";
import { decisionIds } from "../decisions/decision-ids.ts";
import type { Decisions } from "../decisions/decisions.ts";
import { openDecisions } from "../decisions/open-decisions.ts";
import type { ServiceShadow } from "../decisions/shadow/service-shadow.ts";
import { shadowed } from "../decisions/shadow/shadowed-decisions.ts";
import type { ManagedServer } from "../http/server/server-lifecycle.ts";
import type { Identities } from "../identity/identity.ts";
import { Activity } from "../insight/overview/activity.ts";
import type { ExtAuthzListener } from "../listeners/ext-authz.ts";
import type { MetricsListener } from "../listeners/metrics.ts";
import type { ServiceListener } from "../listeners/service.ts";
import type { OpenedInvitations } from "../mail/open-invitations.ts";
import type { PasswordResets } from "../mail/password-resets.ts";
import { type AuditLog, createAuditLog } from "../observe/log/audit-log.ts";
import { createHttpCounters } from "../observe/metrics/create-http-counters.ts";
import { createMetrics, type Metrics } from "../observe/metrics/metrics.ts";
import type { Endpoints } from "../request-map/endpoints.ts";
import { openEndpoints } from "../request-map/open-endpoints.ts";
import { WorkUnderWay } from "../schedule/work-under-way.ts";
import { tracedDecisions } from "../tracing/traced-decisions.ts";
import type { Traces } from "../tracing/traces.ts";
import type { OpenedUsage } from "../usage/open-usage.ts";
import { openAccess, type ServiceAccess } from "./apis/access.ts";
import { principalFinder } from "./apis/authentication.ts";
import { openEscalationCheck, type ServiceEscalationCheck } from "./apis/escalation.ts";
import { openServiceIdentities } from "./apis/identities.ts";
import { openServiceInvitations } from "./apis/invitations.ts";
import { openPolicyChecks, type ServicePolicyChecks } from "./apis/policy-checks.ts";
import { openServiceSetup } from "./apis/setup.ts";
import { openServiceSignIns } from "./apis/sign-ins.ts";
import { type OpenedStatus, openStatus } from "./apis/status.ts";
import type { DataParts } from "./data.ts";
import type { DatasetState } from "./datasets.ts";
import { fillStore } from "./fill-store.ts";
import { connectionPlaces } from "./listeners/connection-limits.ts";
import { openHealth } from "./listeners/open-health.ts";
import { openListeners } from "./listeners/open-listeners.ts";
import { openExtAuthz, openStreaming } from "./listeners/proxy-listeners.ts";
import { openServiceMirroring, readOnlyMirrors, type ServiceMirroring } from "./mirroring.ts";
import { subjectTokens } from "./oidc.ts";
import { openedOrClosed } from "./opened-or-closed.ts";
import { type ServiceAudit, withAuditTrail } from "./records/audit-trail.ts";
import { nodeName, openServiceDecisionLog, type ServiceDecisionLog } from "./records/decision-log.ts";
import { openConfiguredShadow } from "./records/shadow.ts";
import { maskedParts } from "./records/told-parts.ts";
import { countingIdentities, openServiceUsage } from "./records/usage.ts";
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
  /** Breaks the data sets of a start off: the start throws its reason then. */
  readonly ending?: AbortSignal;
}

/** Everything that runs. */
export interface ServiceParts {
  readonly data: DataParts;
  /** Closes all but the data, the audit log and the listeners, in the reverse order of their opening. */
  readonly opened: AsyncDisposableStack;
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
  /** Breaks off data sets that are loaded. */
  readonly ending: AbortController;
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

/**
 * Opens everything but the listening; {@link closeParts} closes it. Throws what a faulty data set, store or audit output
 * throws, and leaves nothing of it open then but the data.
 */
export function openParts(data: DataParts, options: ServiceOptions): Promise<ServiceParts> {
  return openedOrClosed(async (all) => {
    const audited = await openAudit(data, options);
    all.defer(() => audited.audit.close());
    return openAudited(data, options, { ...audited, opened: all.use(new AsyncDisposableStack()) });
  });
}

async function openAudited(
  data: DataParts,
  options: ServiceOptions,
  audited: ServiceAudit & { readonly opened: AsyncDisposableStack },
): Promise<ServiceParts> {
  const { values, directory, catalog } = data;
  const { version, worker } = options;
  const { audit, records: auditRecords, trail: auditTrail, opened } = audited;
  const ending = new AbortController();
  const datasets = await fillStore(
    data,
    { ...options, ending: endedBy(ending, options.ending) },
    { audit, opened },
  );
  const endpoints = openEndpoints(catalog);
  const deciding = await openDeciding(data, options, { audit, endpoints, opened });
  const { usage, decisionLog, bare, shadow } = deciding;
  const invitations = opened.adopt(openServiceInvitations(data), (one) => one.close());
  const mirroring = opened.adopt(openServiceMirroring(data, audit), (one) => one?.runner.close());
  const activity = opened.adopt(new Activity(bare.counters), (one) => one.close());
  const policyChecks = opened.adopt(openPolicyChecks(data), (one) => one.close());
  const health = openHealth(data);
  const setup = await openServiceSetup(data, worker);
  const signIns = await openServiceSignIns(data, invitations, worker?.sharing);
  opened.defer(() => signIns.passwordResets?.close());
  const access = opened.adopt(openAccess(data, usage, decisionLog), (one) => one?.close());
  const escalationCheck = opened.adopt(openEscalationCheck(directory, catalog), (one) => one.close());
  const reportActivity = worker?.activity ?? (async () => activity.report());
  const stated = { version, health, decisions: bare, decisionLog, policyChecks, activity: reportActivity };
  const status = opened.adopt(openStatus(data, stated), (one) => one.close());
  const working = {
    ...{ audit, auditRecords, endpoints, invitations, mirroring, setup, access, escalationCheck },
    ...{ policyChecks, version, status, usage, decisionLog },
    ...signIns,
    decisions: deciding.decisions,
    identities: deciding.identities,
    principals: principalFinder(data),
    shadow: shadow && {
      node: nodeName(values),
      reports: worker?.shadowReports ?? (async () => ({ reports: [shadow.shadow.report()], unanswered: 0 })),
    },
  };
  const http = createHttpCounters();
  const metrics = openMetrics(data, { ...working, auditTrail, shadow, datasets, http });
  opened.defer(() => metrics.close());
  const listening = { http, health, metrics, audit, places: connectionPlaces(values, http) };
  return {
    ...{ data, opened },
    ...working,
    ...{ activity, shadow, datasets, health, metrics },
    ...{ ending, reloads: new WorkUnderWay() },
    ...openListeners(data, working, listening),
    extAuthz: await openExtAuthz(data, working, listening),
    streaming: openStreaming(data, working, listening),
  };
}

/** The signal of a controller that an earlier signal ends too. */
function endedBy(ending: AbortController, earlier: AbortSignal | undefined): AbortSignal {
  return earlier === undefined ? ending.signal : AbortSignal.any([ending.signal, earlier]);
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

/** The parts that decisions are made with. */
interface DecidingParts {
  readonly audit: AuditLog;
  readonly endpoints: Endpoints;
  readonly opened: AsyncDisposableStack;
}

/** Opens what decides, and who is asked about: `bare` are the decisions that no shadow follows. */
async function openDeciding(data: DataParts, options: ServiceOptions, parts: DecidingParts) {
  const { opened, endpoints } = parts;
  const usage = opened.adopt(openServiceUsage(data), (one) => one?.close());
  const { decisionLog, decisions: bare } = await openServiceDecisions(data, parts, usage);
  const shadow = opened.adopt(await openShadow(data, endpoints, options), (one) => one?.close());
  const decisions = shadow === undefined ? bare : shadowed(bare, shadow.shadow);
  const sharing = options.worker?.sharing;
  const known = opened.adopt(openServiceIdentities(data, sharing), (one) => one.close());
  const identities = usage === undefined ? known : countingIdentities(known, usage.counts);
  return { usage, decisionLog, bare, shadow, decisions, identities };
}

async function openServiceDecisions(
  data: DataParts,
  { audit, endpoints, opened }: DecidingParts,
  usage: OpenedUsage | undefined,
): Promise<Pick<ServiceParts, "decisions" | "decisionLog">> {
  const { values, directory, catalog, logger, traces } = data;
  const limits = limitsOf(values);
  const nextId = decisionIds();
  const decisionLog = opened.adopt(await openServiceDecisionLog(data, nextId, audit), (one) => one?.close());
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
  opened.defer(() => decisions.close());
  return { decisions: traces === undefined ? decisions : traced(decisions, traces, values), decisionLog };
}

/** Decisions with spans, which leave out what the decision log masks. */
function traced(decisions: Decisions, traces: Traces, values: ConfigValues): Decisions {
  return tracedDecisions(decisions, traces, maskedParts(values));
}
