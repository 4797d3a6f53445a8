/** The metrics of one service: a registry of its own, so that many services run in one process. */

import type { Registry } from "prom-client";
import { openEventLoopMetrics } from "./event-loop-metrics.ts";
import { processMetrics } from "./process-metrics.ts";
import { type MetricDescription, register, type ScrapedMetric } from "./scraped-metric.ts";
import { type MetricSources, serviceMetrics } from "./service-metrics.ts";

export type { MetricSources } from "./service-metrics.ts";

/** What serves a scrape. */
export interface Metrics {
  /** Content type of {@link Metrics.text}. */
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** Every metric there is, in order of output. */
  readonly descriptions: readonly MetricDescription[];
  /** Ends what measures the process. Scraping afterwards gives nothing. */
  close(): void;
}

/** The text format of Prometheus, as the metrics library names it. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Opens the metrics over their sources; nothing is counted twice, nothing runs on a request's time. */
export function createMetrics(sources: MetricSources): Metrics {
  const eventLoop = openEventLoopMetrics();
  let metrics: readonly ScrapedMetric[] = [
    ...serviceMetrics(sources),
    ...processMetrics(),
    ...eventLoop.metrics,
  ];
  let registry: Promise<Registry> | undefined;
  return {
    contentType: CONTENT_TYPE,
    async text() {
      registry ??= openRegistry(metrics);
      return (await registry).metrics();
    },
    descriptions: metrics,
    close() {
      eventLoop.close();
      metrics = [];
      registry = undefined;
    },
  };
}

/** The library is loaded by the first scrape: it costs 17 MiB, which a service that nobody scrapes need not have. */
async function openRegistry(metrics: readonly ScrapedMetric[]): Promise<Registry> {
  const { Registry: RegistryClass } = await import("prom-client");
  const registry = new RegistryClass();
  for (const metric of metrics) register(registry, metric);
  return registry;
}
