/** The metrics of the service itself: every name begins with `svc_authorizer_`. */

import type { DecisionCounters } from "../../decisions/decisions.ts";
import type { ShadowCounters } from "../../decisions/shadow/shadow.ts";
import type { IdentityCounters } from "../../identity/identity.ts";
import type { MailCounters } from "../../mail/ports.ts";
import type { AuditCounters } from "../log/audit-port.ts";
import type { ReadableHttpCounters } from "./create-http-counters.ts";
import { auditTrailMetrics, type DecisionLogSource, decisionLogMetrics } from "./decision-log-metrics.ts";
import { journalMetrics, type LogSource } from "./journal-metrics.ts";
import type { OpenSnapshots } from "./open-snapshots.ts";
import { histograms, type LabelledValue, labelled, type ScrapedMetric, single } from "./scraped-metric.ts";
import { shadowMetrics } from "./shadow-metrics.ts";
import type { StoreCounters } from "./store-metrics.ts";

const PREFIX = "svc_authorizer_";

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
    single(
      "gauge",
      `${PREFIX}store_long_snapshots`,
      "Snapshots of the store that have been open for more than 30 seconds: a local store cannot use the space of what was replaced since.",
      () => sources.openSnapshots.long(),
    ),
    ...journalMetrics(sources.changes),
    ...decisionLogMetrics(sources.decisionLog),
    ...auditTrailMetrics(sources.auditTrail),
    ...shadowMetrics(sources.shadow),
    ...mailMetrics(sources.mail),
    ...traceMetrics(sources.traces),
    ...stateMetrics(sources),
  ];
}

function traceMetrics(traces: TraceSpans | undefined): ScrapedMetric[] {
  const name = (of: keyof TraceSpans): string => `${PREFIX}trace_spans_${of}_total`;
  return [
    single("counter", name("ended"), "Spans of traced requests that ended.", () => traces?.ended),
    single("counter", name("exported"), "Spans that the collector took.", () => traces?.exported),
    single("counter", name("failed"), "Spans that were lost in failed exports.", () => traces?.failed),
  ];
}

function decisionMetrics(decisions: DecisionCounters, http: ReadableHttpCounters): ScrapedMetric[] {
  return [
    labelled(
      "counter",
      `${PREFIX}decisions_total`,
      "Decisions by effect (allow, neutral, deny) and entrance; each element of a batch is one.",
      ["effect", "entrance"],
      () =>
        Object.entries(decisions.decisions).flatMap(([entrance, effects]) =>
          Object.entries(effects).map(([effect, count]): LabelledValue => [{ effect, entrance }, count]),
        ),
    ),
    histograms(
      `${PREFIX}decision_duration_seconds`,
      "Time of decisions by entrance, a batch as a whole, without reading the request and sending the answer.",
      ["entrance"],
      () =>
        Object.entries(http.decisionSeconds).map(([entrance, seconds]) => [{ entrance }, seconds] as const),
    ),
    single("counter", `${PREFIX}cache_hits_total`, "Users whose policies were in the cache.", () => {
      return decisions.cacheHits;
    }),
    single("counter", `${PREFIX}cache_misses_total`, "Users whose policies had to be loaded.", () => {
      return decisions.cacheMisses;
    }),
    single("counter", `${PREFIX}cache_evictions_total`, "Users removed from the cache.", () => {
      return decisions.cacheEvictions;
    }),
    single("gauge", `${PREFIX}cache_size`, "Users in the cache.", () => decisions.cacheSize()),
    single(
      "counter",
      `${PREFIX}portable_rewritings_total`,
      "Statements that data servers got in another form than stored, since they could not evaluate them.",
      () => decisions.portableRewritings,
    ),
    single("gauge", `${PREFIX}compiled_sets`, "Compiled policy sets in memory, shared by users.", () => {
      return decisions.compiledSets();
    }),
  ];
}

function identityMetrics(identities: IdentityCounters): ScrapedMetric[] {
  return [
    single(
      "counter",
      `${PREFIX}identity_cache_hits_total`,
      "Access keys and login tokens that were in the cache.",
      () => identities.cacheHits,
    ),
    single(
      "counter",
      `${PREFIX}identity_cache_misses_total`,
      "Access keys and login tokens that had to be looked up.",
      () => identities.cacheMisses,
    ),
    single(
      "counter",
      `${PREFIX}authentication_failures_total`,
      "Wrong secrets and signatures, those of unknown access keys among them.",
      () => identities.failures,
    ),
    single(
      "counter",
      `${PREFIX}authentication_throttled_total`,
      "Failures beyond authorizer.forward_auth.max_failures of one access key and source.",
      () => identities.throttled,
    ),
  ];
}

function httpMetrics(http: ReadableHttpCounters): ScrapedMetric[] {
  return [
    labelled(
      "counter",
      `${PREFIX}http_requests_total`,
      "Answers by route, method and class of status (2xx).",
      ["route", "method", "status"],
      () => Array.from(http.routes()).flatMap(answersOf),
    ),
    histograms(
      `${PREFIX}http_request_duration_seconds`,
      "Time from the arrival of a request to the end of its answer.",
      ["route", "method"],
      () =>
        Array.from(http.routes())
          .filter(({ duration }) => duration.count > 0)
          .map(({ route, method, duration }) => [{ route, method }, duration] as const),
    ),
    labelled(
      "counter",
      `${PREFIX}refused_policy_members_total`,
      "Members of written policies that are not known or repeated, by name; other for names of nobody.",
      ["member"],
      () => [...http.refusedMembers].map(([member, count]): LabelledValue => [{ member }, count]),
    ),
    labelled("counter", `${PREFIX}errors_total`, "Errors answered, by code.", ["code"], () =>
      Object.entries(http.errors).map(([code, count]): LabelledValue => [{ code }, count]),
    ),
    single("gauge", `${PREFIX}in_flight_requests`, "Requests being worked on.", () => http.inFlight),
    single("gauge", `${PREFIX}queue_length`, "Requests waiting for their turn.", () => http.queueLength),
    single("gauge", `${PREFIX}request_body_bytes`, "Request bodies under way.", () => http.bodyBytes),
    single(
      "gauge",
      `${PREFIX}untaken_answer_bytes`,
      "Answers that callers have not taken, and requests that were sent ahead of them.",
      () => http.answerBytes,
    ),
    single("gauge", `${PREFIX}connections`, "Open connections of callers.", () => http.connections),
    single(
      "counter",
      `${PREFIX}connections_refused_total`,
      "Connections that were closed at once, because there was no place.",
      () => http.connectionsRefused,
    ),
    single(
      "counter",
      `${PREFIX}connections_given_up_total`,
      "Idle connections without a credential that gave way to others.",
      () => http.connectionsGivenUp,
    ),
  ];
}

function answersOf(counter: {
  route: string;
  method: string;
  statusClasses: readonly number[];
}): LabelledValue[] {
  const { route, method } = counter;
  return counter.statusClasses
    .map(
      (count, digit): LabelledValue => [
        { route, method, status: digit === 0 ? "other" : `${digit}xx` },
        count,
      ],
    )
    .filter(([, count]) => count > 0);
}

function storeMetrics(store: StoreCounters): ScrapedMetric[] {
  return [
    labelled(
      "counter",
      `${PREFIX}store_operations_total`,
      "Operations of the store by result (ok, conflict, unavailable, error).",
      ["operation", "result"],
      () =>
        Object.entries(store).flatMap(([operation, { results }]) =>
          Object.entries(results).map(([result, count]): LabelledValue => [{ operation, result }, count]),
        ),
    ),
    histograms(
      `${PREFIX}store_operation_duration_seconds`,
      "Time of operations of the store.",
      ["operation"],
      () => Object.entries(store).map(([operation, { duration }]) => [{ operation }, duration] as const),
    ),
  ];
}

function mailMetrics(mail: MailCounters): ScrapedMetric[] {
  return [
    single("gauge", `${PREFIX}mail_queue_length`, "Mails waiting to be sent.", () => mail.queued),
    labelled(
      "counter",
      `${PREFIX}mails_total`,
      "Mails by what became of them (sent, failed, dropped); retried: attempts that are made again.",
      ["result"],
      () =>
        (["sent", "retried", "failed", "dropped"] as const).map(
          (result) => [{ result }, mail[result]] as const,
        ),
    ),
  ];
}

function stateMetrics({ build, audit, log, datasets }: MetricSources): ScrapedMetric[] {
  return [
    single(
      "gauge",
      `${PREFIX}datasets_last_load_success`,
      "1 when the last load of data sets succeeded, 0 when it failed and the one before is in force.",
      () => (datasets.lastLoadSuccess === undefined ? undefined : Number(datasets.lastLoadSuccess)),
    ),
    labelled(
      "counter",
      `${PREFIX}audit_dropped_total`,
      "Audit records for which there was no room: decisions, or events (which should never be).",
      ["kind"],
      () => [
        [{ kind: "decision" }, audit.droppedDecisions],
        [{ kind: "event" }, audit.droppedEvents],
      ],
    ),
    single(
      "counter",
      `${PREFIX}log_dropped_total`,
      "Lines for which an output of the log had no room.",
      () => {
        return log.droppedLines;
      },
    ),
    labelled(
      "gauge",
      `${PREFIX}build_info`,
      "Version of the service, digest of its policy set and version of Node; the value is 1.",
      ["version", "policies_version", "node"],
      () => [[{ version: build.version, policies_version: build.policiesVersion, node: process.version }, 1]],
    ),
  ];
}
