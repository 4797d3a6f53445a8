/** The metrics of one service. Several services run in one process, each with metrics of its own. */

import { openEventLoopMetrics } from "./event-loop-metrics.ts";
import type { MetricSnapshot } from "./merge-metrics.ts";
import { processMetrics } from "./process-metrics.ts";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "./prometheus-text.ts";
import type { MetricDescription, ScrapedMetric } from "./scraped-metric.ts";
import { type MetricSources, serviceMetrics } from "./service-metrics.ts";

export type { MetricSources } from "./service-metrics.ts";

/** Serves a scrape. */
export interface Metrics {
  /** Content type of {@link Metrics.text}. */
  readonly contentType: string;
  /** Returns all metrics in the text format of Prometheus. */
  text(): string;
  /** Returns all metrics with their present values, to be sent to another process. */
  snapshot(): readonly MetricSnapshot[];
  /** Every metric, in order of output. */
  readonly descriptions: readonly MetricDescription[];
  /** Stops what measures the process. A scrape afterwards gives nothing. */
  close(): void;
}

/** Opens the metrics over their sources. Nothing is counted twice. */
export function createMetrics(sources: MetricSources): Metrics {
  const eventLoop = openEventLoopMetrics();
  let metrics: readonly ScrapedMetric[] = [
    ...serviceMetrics(sources),
    ...processMetrics(),
    ...eventLoop.metrics,
  ];
  return {
    contentType: PROMETHEUS_CONTENT_TYPE,
    text: () => prometheusText(metrics),
    snapshot: () =>
      metrics.map(({ name, help, type, labels, samples }) => ({
        ...{ name, help, type, labels },
        values: [...samples()],
      })),
    descriptions: metrics,
    close() {
      eventLoop.close();
      metrics = [];
    },
  };
}
