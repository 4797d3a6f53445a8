/** The metrics of several processes as those of one service (spec/journal §7). */

import type { Sample } from "./fast-histogram.ts";
import type { MetricDescription, ScrapedMetric } from "./scraped-metric.ts";

/** A metric with its values at one moment. */
export interface MetricSnapshot extends MetricDescription {
  readonly values: readonly Sample[];
}

/** Gauges of which the largest counts: they say the same, or the worst of them says enough. */
const LARGEST =
  /_(info|revision|success|staleness_seconds|lag_seconds|start_time_seconds|max_fds)$|eventloop_lag/;

/** Adds counters, histograms and gauges of the same name and labels; of some gauges, takes the largest. */
export function mergeMetrics(processes: readonly (readonly MetricSnapshot[])[]): readonly ScrapedMetric[] {
  const merged = new Map<
    string,
    { readonly metric: MetricDescription; readonly values: Map<string, Sample> }
  >();
  for (const metrics of processes) {
    for (const { values, ...metric } of metrics) {
      const one = merged.get(metric.name) ?? { metric, values: new Map<string, Sample>() };
      merged.set(metric.name, one);
      const isLargest = metric.type === "gauge" && LARGEST.test(metric.name);
      for (const sample of values) {
        const key = JSON.stringify([sample.metricName, sample.labels]);
        const before = one.values.get(key);
        one.values.set(key, before === undefined ? sample : joined(before, sample, isLargest));
      }
    }
  }
  return Array.from(merged.values(), ({ metric, values }) => ({
    ...metric,
    samples: () => values.values(),
  }));
}

/** Keeps what only grows: the counts of a process that has ended still belong to the service. */
export function grown(metrics: readonly MetricSnapshot[]): readonly MetricSnapshot[] {
  return metrics.filter(({ type }) => type !== "gauge");
}

function joined(a: Sample, b: Sample, isLargest: boolean): Sample {
  return { ...a, value: isLargest ? Math.max(a.value, b.value) : a.value + b.value };
}
