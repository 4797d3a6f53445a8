/** Hands histograms of ours to prom-client's registry, which has no documented way to take counts that are made elsewhere. */

import type { Metric, Registry } from "prom-client";
import { type Labels, type ScrapedMetric, seriesOf } from "../metric.ts";
import type { FastHistogram } from "./fast-histogram.ts";

/** Registers histograms of one name, which are read at each scrape. */
export function registerHistogram(
  registry: Registry,
  metric: Extract<ScrapedMetric, { type: "histogram" }>,
): void {
  const { name, help, type } = metric;
  const get = async () => {
    const values = seriesOf(metric).flatMap(([labels, histogram]) => samples(name, labels, histogram));
    return { name, help, type, aggregator: "sum", values };
  };
  registry.registerMetric({ name, get } as unknown as Metric);
}

/** The series of one histogram, as prom-client's own histogram gives them. */
function samples(name: string, labels: Labels, histogram: FastHistogram) {
  const { count } = histogram;
  return [
    ...histogram.buckets().map(([le, value]) => {
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value };
    }),
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: histogram.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
