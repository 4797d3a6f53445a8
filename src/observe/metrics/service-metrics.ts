/** The metrics of the service itself: every name begins with `svc_authorizer_`. */

import type { DecisionCounters } from "../../decisions/decisions.ts";
import type { ShadowCounters } from "../../decisions/shadow/shadow.ts";
import type { IdentityCounters } from "../../identity/identity.ts";
import type { MailCounters } from "../../mail/ports.ts";
import type { MirrorCounters } from "../../mirroring/counters.ts";
import type { AuditCounters } from "../log/audit-port.ts";
import type { ReadableHttpCounters, RouteCounter } from "./create-http-counters.ts";
import { auditTrailMetrics, type DecisionLogSource, decisionLogMetrics } from "./decision-log-metrics.ts";
import type { FastHistogram } from "./histograms/fast-histogram.ts";
import { journalMetrics, type LogSource } from "./journal-metrics.ts";
import { by, metricsNamed, type Row, type ScrapedMetric } from "./metric.ts";
import { mirrorMetrics } from "./mirror-metrics.ts";
import type { OpenSnapshots } from "./open-snapshots.ts";
import { shadowMetrics } from "./shadow-metrics.ts";
import type { StoreCounters } from "./store-metrics.ts";

const { counter, gauge, histogram } = metricsNamed("svc_authorizer_");

/** Sources of the values: plain numbers, read at each scrape. */
export interface MetricSources {
  readonly build: {
    /** Of this package. */
    readonly version: string;
    /** Digest of the policy set. */
    readonly policiesVersion: string;
  };
  readonly decisions: DecisionCounters;
  readonly identities: IdentityCounters;
  readonly http: ReadableHttpCounters;
  readonly store: StoreCounters;
  readonly audit: AuditCounters;
  readonly log: { readonly droppedLines: number };
  /** True if the last load of data sets succeeded; undefined before the first load. */
  readonly datasets: { readonly lastLoadSuccess: boolean | undefined };
  readonly mail: MailCounters;
  /** The log of the store. */
  readonly changes: LogSource;
  /** Snapshots of the store that are open. */
  readonly openSnapshots: Pick<OpenSnapshots, "long">;
  /** The log of decisions; undefined if none are logged. */
  readonly decisionLog: DecisionLogSource | undefined;
  /** The chain of the audit log; undefined if there is none. */
  readonly auditTrail: DecisionLogSource | undefined;
  /** The comparison with a candidate; undefined if none is configured. */
  readonly shadow: ShadowCounters | undefined;
  /** Mirrors; undefined if no region may have them. */
  readonly mirrors?: MirrorCounters | undefined;
  /** Spans of traces; undefined if nothing is traced. */
  readonly traces?: TraceSpans | undefined;
}

/** Spans, as they are counted. */
interface TraceSpans {
  readonly ended: number;
  readonly exported: number;
  readonly failed: number;
}

/** All metrics of the service over their sources. */
export function serviceMetrics(sources: MetricSources): ScrapedMetric[] {
  return [
    ...decisionMetrics(sources.decisions, sources.http),
    ...identityMetrics(sources.identities),
    ...httpMetrics(sources.http),
    ...storeMetrics(sources.store),
    gauge(
      "store_long_snapshots",
      "Snapshots of the store that have been open for more than 30 seconds: a local store cannot use the space of what was replaced since.",
      () => sources.openSnapshots.long(),
    ),
    ...journalMetrics(sources.changes),
    ...decisionLogMetrics(sources.decisionLog),
    ...auditTrailMetrics(sources.auditTrail),
    ...shadowMetrics(sources.shadow),
    ...mailMetrics(sources.mail),
    ...mirrorMetrics(sources.mirrors),
    ...traceMetrics(sources.traces),
    ...stateMetrics(sources),
  ];
}

function traceMetrics(traces: TraceSpans | undefined): ScrapedMetric[] {
  return [
    counter("trace_spans_ended_total", "Spans of traced requests that ended.", () => traces?.ended),
    counter("trace_spans_exported_total", "Spans that the collector took.", () => traces?.exported),
    counter("trace_spans_failed_total", "Spans that were lost in failed exports.", () => traces?.failed),
  ];
}

function decisionMetrics(decisions: DecisionCounters, http: ReadableHttpCounters): ScrapedMetric[] {
  return [
    counter(
      "decisions_total",
      "Decisions by effect (allow, neutral, deny) and entrance; each element of a batch is one.",
      {
        labels: ["effect", "entrance"],
        read: () =>
          Object.entries(decisions.decisions).flatMap(([entrance, effects]) =>
            Object.entries(effects).map(([effect, count]): Row => [[effect, entrance], count]),
          ),
      },
    ),
    histogram(
      "decision_duration_seconds",
      "Time of decisions by entrance, a batch as a whole, without reading the request and sending the answer.",
      by("entrance", () => http.decisionSeconds),
    ),
    counter("cache_hits_total", "Users whose policies were in the cache.", () => decisions.cacheHits),
    counter("cache_misses_total", "Users whose policies had to be loaded.", () => decisions.cacheMisses),
    counter("cache_evictions_total", "Users removed from the cache.", () => decisions.cacheEvictions),
    gauge("cache_size", "Users in the cache.", () => decisions.cacheSize()),
    counter(
      "portable_rewritings_total",
      "Statements that data servers got in another form than stored, since they could not evaluate them.",
      () => decisions.portableRewritings,
    ),
    gauge("compiled_sets", "Compiled policy sets in memory, shared by users.", () =>
      decisions.compiledSets(),
    ),
  ];
}

function identityMetrics(identities: IdentityCounters): ScrapedMetric[] {
  return [
    counter(
      "identity_cache_hits_total",
      "Access keys and login tokens that were in the cache.",
      () => identities.cacheHits,
    ),
    counter(
      "identity_cache_misses_total",
      "Access keys and login tokens that had to be looked up.",
      () => identities.cacheMisses,
    ),
    counter(
      "authentication_failures_total",
      "Wrong secrets and signatures, those of unknown access keys among them.",
      () => identities.failures,
    ),
    counter(
      "authentication_throttled_total",
      "Failures beyond authorizer.forward_auth.max_failures of one access key and source.",
      () => identities.throttled,
    ),
  ];
}

function httpMetrics(http: ReadableHttpCounters): ScrapedMetric[] {
  return [
    counter("http_requests_total", "Answers by route, method and class of status (2xx).", {
      labels: ["route", "method", "status"],
      read: () => http.routes().flatMap(answersOf),
    }),
    histogram(
      "http_request_duration_seconds",
      "Time from the arrival of a request to the end of its answer.",
      {
        labels: ["route", "method"],
        read: () =>
          http
            .routes()
            .filter(({ duration }) => duration.count > 0)
            .map(({ route, method, duration }): Row<FastHistogram> => [[route, method], duration]),
      },
    ),
    counter(
      "refused_policy_members_total",
      "Members of written policies that are not known or repeated, by name; other for names of nobody.",
      by("member", () => Object.fromEntries(http.refusedMembers)),
    ),
    counter(
      "errors_total",
      "Errors answered, by code.",
      by("code", () => http.errors),
    ),
    gauge("in_flight_requests", "Requests being worked on.", () => http.inFlight),
    gauge("queue_length", "Requests waiting for their turn.", () => http.queueLength),
    gauge("request_body_bytes", "Request bodies under way.", () => http.bodyBytes),
    gauge(
      "untaken_answer_bytes",
      "Answers that callers have not taken, and requests that were sent ahead of them.",
      () => http.answerBytes,
    ),
    gauge("connections", "Open connections of callers.", () => http.connections),
    counter(
      "connections_refused_total",
      "Connections that were closed at once, because there was no place.",
      () => http.connectionsRefused,
    ),
    counter(
      "connections_given_up_total",
      "Idle connections without a credential that gave way to others.",
      () => http.connectionsGivenUp,
    ),
  ];
}

function answersOf({ route, method, statusClasses }: RouteCounter): Row[] {
  return statusClasses
    .map((count, digit): Row => [[route, method, digit === 0 ? "other" : `${digit}xx`], count])
    .filter(([, count]) => count > 0);
}

function storeMetrics(store: StoreCounters): ScrapedMetric[] {
  return [
    counter(
      "store_operations_total",
      "Operations of the store by result (ok, conflict, unavailable, error).",
      {
        labels: ["operation", "result"],
        read: () =>
          Object.entries(store).flatMap(([operation, { results }]) =>
            Object.entries(results).map(([result, count]): Row => [[operation, result], count]),
          ),
      },
    ),
    histogram("store_operation_duration_seconds", "Time of operations of the store.", {
      labels: ["operation"],
      read: () => Object.entries(store).map(([operation, { duration }]) => [[operation], duration]),
    }),
  ];
}

function mailMetrics(mail: MailCounters): ScrapedMetric[] {
  return [
    gauge("mail_queue_length", "Mails waiting to be sent.", () => mail.queued),
    counter(
      "mails_total",
      "Mails by what became of them (sent, failed, dropped); retried: attempts that are made again.",
      by("result", () => {
        const { sent, retried, failed, dropped } = mail;
        return { sent, retried, failed, dropped };
      }),
    ),
  ];
}

function stateMetrics({ build, audit, log, datasets }: MetricSources): ScrapedMetric[] {
  return [
    gauge(
      "datasets_last_load_success",
      "1 when the last load of data sets succeeded, 0 when it failed and the one before is in force.",
      () => (datasets.lastLoadSuccess === undefined ? undefined : Number(datasets.lastLoadSuccess)),
    ),
    counter(
      "audit_dropped_total",
      "Audit records for which there was no room: decisions, or events (which should never be).",
      by("kind", () => ({ decision: audit.droppedDecisions, event: audit.droppedEvents })),
    ),
    counter("log_dropped_total", "Lines for which an output of the log had no room.", () => log.droppedLines),
    gauge(
      "build_info",
      "Version of the service, digest of its policy set and version of Node; the value is 1.",
      {
        labels: ["version", "policies_version", "node"],
        read: () => [[[build.version, build.policiesVersion, process.version], 1]],
      },
    ),
  ];
}
