/** The metrics of the decision log and of the audit log in a chain; none of them where nothing is kept. */

import type { DecisionLogCounters } from "../../decision-log/counters.ts";
import { type ScrapedMetric, single } from "./scraped-metric.ts";

const PREFIX = "svc_authorizer_decision_log_";
const AUDIT_PREFIX = "svc_authorizer_audit_log_";

/** The values that are read from a log. */
export interface DecisionLogSource {
  readonly counters: DecisionLogCounters;
  readonly sinks: readonly SinkSource[];
}

/** The values that are read from a sink. */
export type SinkSource = Readonly<Record<"lagSeconds" | "failures" | "rejected", number>>;

/** The metrics of the chain that the audit log is kept in; none of them if there is none. */
export function auditTrailMetrics(source: DecisionLogSource | undefined): ScrapedMetric[] {
  const metric = (
    type: "counter" | "gauge",
    name: string,
    help: string,
    read: (source: DecisionLogSource) => number,
  ): ScrapedMetric => single(type, `${AUDIT_PREFIX}${name}`, help, () => source && read(source));
  return [
    metric(
      "counter",
      "lines_total",
      "Lines of the audit log on disk (authorizer.audit.directory).",
      (one) => {
        return one.counters.records;
      },
    ),
    metric("counter", "lost_total", "Audit records that are in no file, for want of room.", (one) => {
      return one.counters.lost;
    }),
    metric("counter", "failures_total", "Failed attempts to write the audit log.", (one) => {
      return one.counters.failures;
    }),
    metric(
      "gauge",
      "sink_lag_seconds",
      "Age of the oldest audit record that a sink lacks, of the slowest sink.",
      slowest,
    ),
    metric("counter", "sink_failures_total", "Requests that a sink of the audit log did not take.", failures),
    metric(
      "counter",
      "sink_rejected_total",
      "Audit records that a sink refused as invalid and lacks.",
      rejected,
    ),
    metric("gauge", "waiting_lines", "Lines of the audit log that wait to be written.", (one) => {
      return one.counters.waiting;
    }),
  ];
}

function slowest({ sinks }: DecisionLogSource): number {
  return Math.max(0, ...sinks.map(({ lagSeconds }) => lagSeconds));
}

function failures({ sinks }: DecisionLogSource): number {
  return sinks.reduce((sum, one) => sum + one.failures, 0);
}

function rejected({ sinks }: DecisionLogSource): number {
  return sinks.reduce((sum, one) => sum + one.rejected, 0);
}

/** The metrics of the log. */
export function decisionLogMetrics(source: DecisionLogSource | undefined): ScrapedMetric[] {
  const log = source?.counters;
  const metric = (
    type: "counter" | "gauge",
    name: string,
    help: string,
    read: (counters: DecisionLogCounters) => number,
  ): ScrapedMetric =>
    single(type, `${PREFIX}${name}`, help, () => (log === undefined ? undefined : read(log)));
  return [
    metric("counter", "lines_total", "Lines of the decision log on disk.", ({ records }) => records),
    metric("counter", "bytes_total", "Bytes of these lines.", ({ bytes }) => bytes),
    metric("counter", "lost_total", "Decisions without a record, for want of room.", ({ lost }) => lost),
    metric(
      "counter",
      "refused_total",
      "Decisions that were refused because their records found no room.",
      ({ refused }) => refused,
    ),
    metric(
      "counter",
      "failures_total",
      "Failed attempts to write the decision log.",
      ({ failures }) => failures,
    ),
    single(
      "gauge",
      `${PREFIX}sink_lag_seconds`,
      "Age of the oldest record that a sink lacks, of the slowest sink.",
      () => source && slowest(source),
    ),
    single(
      "counter",
      `${PREFIX}sink_failures_total`,
      "Requests that a sink did not take.",
      () => source && failures(source),
    ),
    single(
      "counter",
      `${PREFIX}sink_rejected_total`,
      "Records that a sink refused as invalid and lacks.",
      () => source && rejected(source),
    ),
    metric("gauge", "waiting_lines", "Lines that wait to be written.", ({ waiting }) => waiting),
  ];
}
