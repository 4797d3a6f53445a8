/** The metrics of one service, in a registry of prom-client's. Several services run in one process, each with its own. */

import { openEventLoopMetrics } from "./event-loop-metrics.ts";
import type { ScrapedMetric } from "./metric.ts";
import { processMetrics } from "./process-metrics.ts";
import { type MetricSnapshot, openRegistry } from "./registry.ts";
import { type MetricSources, serviceMetrics } from "./service-metrics.ts";

export type { MetricSources } from "./service-metrics.ts";

/** Serves a scrape. */
export interface Metrics {
  /** Content type of {@link Metrics.text}. */
  readonly contentType: string;
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** Returns all metrics with their present values, to be sent to another process. */
  snapshot(): Promise<readonly MetricSnapshot[]>;
  /** Every metric, in order of output. */
  readonly descriptions: readonly ScrapedMetric[];
  /** Stops what measures the process. A scrape afterwards gives nothing. */
  close(): void;
}

/** Opens the metrics over their sources. Nothing is counted twice. */
export function createMetrics(sources: MetricSources): Metrics {
  const eventLoop = openEventLoopMetrics();
  const descriptions = [...serviceMetrics(sources), ...processMetrics(), ...eventLoop.metrics];
  let registry: ReturnType<typeof openRegistry> | undefined;
  let isClosed = false;
  const opened = () => (registry ??= openRegistry(isClosed ? [] : descriptions));
  return {
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    text: async () => (await opened()).metrics(),
    snapshot: async () => (await opened()).getMetricsAsJSON(),
    descriptions,
    close() {
      eventLoop.close();
      isClosed = true;
      registry = undefined;
    },
  };
}
