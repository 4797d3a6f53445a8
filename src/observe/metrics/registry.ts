/** prom-client's registry over metrics whose values are read at each scrape. */

import type { Counter, Gauge, Registry } from "prom-client";
import { registerHistogram } from "./histograms/register-histogram.ts";
import { type Labelled, type ScrapedMetric, seriesOf } from "./metric.ts";

/** A metric with its values at one moment. */
export type MetricSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];

/** Gauges of which the largest counts among processes: they say the same, or the worst of them says enough. */
const LARGEST =
  /_(info|revision|success|staleness_seconds|lag_seconds|start_time_seconds|max_fds)$|eventloop_lag/;

/** Registers the metrics, which are read in this order. The library is loaded here: not every process is scraped. */
export async function openRegistry(metrics: readonly ScrapedMetric[]): Promise<Registry> {
  const { Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  for (const metric of metrics) {
    if (metric.type === "histogram") registerHistogram(registry, metric);
    else {
      const { name, help, labels } = metric;
      const aggregator = metric.type === "gauge" && LARGEST.test(name) ? "max" : "sum";
      const Kind = metric.type === "counter" ? Counter : Gauge;
      const one: Counter | Gauge = new Kind({
        ...{ name, help, labelNames: labels, registers: [], aggregator },
        collect: () => handOver(one, metric),
      });
      registry.registerMetric(one);
    }
  }
  return registry;
}

/** Joins the metrics of several processes: adds up those of the same name and labels; of some gauges, takes the largest. */
export async function joined(processes: readonly (readonly MetricSnapshot[])[]): Promise<Registry> {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate([...processes]);
}

/** Gives a metric the present values, in place of those of the scrape before. */
function handOver(to: Counter | Gauge, from: Labelled): void {
  to.reset();
  // A reset gives a metric without labels the value 0, also where it has none now.
  if (from.labels.length === 0) to.remove();
  for (const [labels, value] of seriesOf(from)) to.inc(labels, value);
}
