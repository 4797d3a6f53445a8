/** The metrics of the decision log; none of them if no decisions are logged. */

import type { DecisionLogCounters } from "../decision-log/counters.ts";
import { type ScrapedMetric, single } from "./scraped-metric.ts";

const PREFIX = "svc_authorizer_decision_log_";

/** The metrics of the log. */
export function decisionLogMetrics(log: DecisionLogCounters | undefined): ScrapedMetric[] {
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
    metric("gauge", "waiting_lines", "Lines that wait to be written.", ({ waiting }) => waiting),
  ];
}
