/** Metrics whose values live elsewhere, as plain numbers, and are read at each scrape. */

import type { FastHistogram, Sample } from "./fast-histogram.ts";

/** Description of a metric. */
export interface MetricDescription {
  readonly name: string;
  /** One sentence, without line breaks and `|`. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Names of labels, without `le`. Their values come from closed sets, never from callers (spec/security §1.3). */
  readonly labels: readonly string[];
}

/** A metric and where its values come from. */
export interface ScrapedMetric extends MetricDescription {
  samples(): Iterable<Sample>;
}

/** Labels of one series and its number. */
export type LabelledValue = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A counter or gauge with one value; undefined: no series now. */
export function single(
  type: "counter" | "gauge",
  name: string,
  help: string,
  read: () => number | undefined,
): ScrapedMetric {
  return {
    name,
    help,
    type,
    labels: [],
    samples() {
      const value = read();
      return value === undefined ? [] : [{ labels: {}, value }];
    },
  };
}

/** A counter or gauge with labels. */
export function labelled(
  type: "counter" | "gauge",
  name: string,
  help: string,
  labels: readonly string[],
  read: () => Iterable<LabelledValue>,
): ScrapedMetric {
  const samples = () => Array.from(read(), ([own, value]) => ({ labels: own, value }));
  return { name, help, type, labels, samples };
}

/** Histograms of one name, distinguished by labels. */
export function histograms(
  name: string,
  help: string,
  labels: readonly string[],
  read: () => Iterable<readonly [labels: Readonly<Record<string, string>>, histogram: FastHistogram]>,
): ScrapedMetric {
  const samples = () => Array.from(read(), ([own, histogram]) => histogram.samples(name, own)).flat();
  return { name, help, type: "histogram", labels, samples };
}
