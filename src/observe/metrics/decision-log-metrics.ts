/** The metrics of the decision log and of the audit log in a chain; none of them where nothing is kept. */

import type { DecisionLogCounters } from "../../decision-log/counters.ts";
import { metricsNamed, type ScrapedMetric } from "./metric.ts";

/** The values that are read from a log. */
export interface DecisionLogSource {
  readonly counters: DecisionLogCounters;
  readonly sinks: readonly SinkSource[];
}

/** The values that are read from a sink. */
export type SinkSource = Readonly<Record<"lagSeconds" | "failures" | "rejected", number>>;

/** The metrics of the chain that the audit log is kept in; none of them if there is none. */
export function auditTrailMetrics(source: DecisionLogSource | undefined): ScrapedMetric[] {
  const log = source?.counters;
  const { counter, gauge } = metricsNamed("svc_authorizer_audit_log_");
  return [
    counter(
      "lines_total",
      "Lines of the audit log on disk (authorizer.audit.directory).",
      () => log?.records,
    ),
    counter("lost_total", "Audit records that are in no file, for want of room.", () => log?.lost),
    counter("failures_total", "Failed attempts to write the audit log.", () => log?.failures),
    gauge(
      "sink_lag_seconds",
      "Age of the oldest audit record that a sink lacks, of the slowest sink.",
      () => source && slowest(source),
    ),
    counter(
      "sink_failures_total",
      "Requests that a sink of the audit log did not take.",
      () => source && sumOf(source, "failures"),
    ),
    counter(
      "sink_rejected_total",
      "Audit records that a sink refused as invalid and lacks.",
      () => source && sumOf(source, "rejected"),
    ),
    gauge("waiting_lines", "Lines of the audit log that wait to be written.", () => log?.waiting),
  ];
}

/** The metrics of the log. */
export function decisionLogMetrics(source: DecisionLogSource | undefined): ScrapedMetric[] {
  const log = source?.counters;
  const { counter, gauge } = metricsNamed("svc_authorizer_decision_log_");
  return [
    counter("lines_total", "Lines of the decision log on disk.", () => log?.records),
    counter("bytes_total", "Bytes of these lines.", () => log?.bytes),
    counter("lost_total", "Decisions without a record, for want of room.", () => log?.lost),
    counter(
      "refused_total",
      "Decisions that were refused because their records found no room.",
      () => log?.refused,
    ),
    counter("failures_total", "Failed attempts to write the decision log.", () => log?.failures),
    gauge(
      "sink_lag_seconds",
      "Age of the oldest record that a sink lacks, of the slowest sink.",
      () => source && slowest(source),
    ),
    counter(
      "sink_failures_total",
      "Requests that a sink did not take.",
      () => source && sumOf(source, "failures"),
    ),
    counter(
      "sink_rejected_total",
      "Records that a sink refused as invalid and lacks.",
      () => source && sumOf(source, "rejected"),
    ),
    gauge("waiting_lines", "Lines that wait to be written.", () => log?.waiting),
  ];
}

function slowest({ sinks }: DecisionLogSource): number {
  return Math.max(0, ...sinks.map(({ lagSeconds }) => lagSeconds));
}

function sumOf({ sinks }: DecisionLogSource, what: "failures" | "rejected"): number {
  return sinks.reduce((sum, sink) => sum + sink[what], 0);
}
