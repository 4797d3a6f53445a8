/** The metrics of the decision log; none of them if no decisions are logged. */

import type { DecisionLogCounters } from "../../decision-log/counters.ts";
import { type ScrapedMetric, single } from "./scraped-metric.ts";

const PREFIX = "svc_authorizer_decision_log_";

/** The values that are read from a log. */
export interface DecisionLogSource {
  readonly counters: DecisionLogCounters;
  readonly sinks: readonly { readonly lagSeconds: number }[];
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
      () => source && Math.max(0, ...source.sinks.map(({ lagSeconds }) => lagSeconds)),
    ),
    metric("gauge", "waiting_lines", "Lines that wait to be written.", ({ waiting }) => waiting),
  ];
}
