/** Metrics as data: their values live elsewhere, as plain numbers, and are read at each scrape. */

import type { FastHistogram } from "./histograms/fast-histogram.ts";

/** One series: the values of the labels in their order, and its number. */
export type Row<T = number> = readonly [labels: readonly string[], value: T];

/** Labels, and how their series are read. */
export interface Labelled<T = number> {
  /** Names without `le`. Their values come from closed sets, never from callers (spec/security §1.3). */
  readonly labels: readonly string[];
  readonly read: () => Iterable<Row<T>>;
}

/** Values of labels by name. */
export type Labels = Readonly<Record<string, string>>;

interface Described {
  readonly name: string;
  /** One sentence, without line breaks and `|`. */
  readonly help: string;
}

/** A metric and where its series come from. */
export type ScrapedMetric = Described &
  (
    | ({ readonly type: "counter" | "gauge" } & Labelled)
    | ({ readonly type: "histogram" } & Labelled<FastHistogram>)
  );

/** The series of a metric at this moment, with their labels by name. */
export function seriesOf<T>({ labels, read }: Labelled<T>): readonly (readonly [Labels, T])[] {
  return Array.from(read(), ([values, value]) => [
    Object.fromEntries(labels.map((label, index) => [label, values[index] as string])),
    value,
  ]);
}

/** Series with one label: a name of the record is its value; undefined: no series now. */
export function by<T = number>(
  label: string,
  read: () => Readonly<Record<string, T>> | undefined,
): Labelled<T> {
  return {
    labels: [label],
    read: () => Object.entries(read() ?? {}).map(([name, value]): Row<T> => [[name], value]),
  };
}

/** Makers of metrics whose names begin with `prefix`. A value that is undefined gives no series now. */
export function metricsNamed(prefix: string) {
  const plain = (type: "counter" | "gauge") => {
    return (name: string, help: string, from: (() => number | undefined) | Labelled): ScrapedMetric => {
      return { type, name: `${prefix}${name}`, help, ...(typeof from === "function" ? single(from) : from) };
    };
  };
  return {
    counter: plain("counter"),
    gauge: plain("gauge"),
    histogram: (name: string, help: string, from: Labelled<FastHistogram>): ScrapedMetric => {
      return { type: "histogram", name: `${prefix}${name}`, help, ...from };
    },
  };
}

function single(read: () => number | undefined): Labelled {
  return {
    labels: [],
    read() {
      const value = read();
      return value === undefined ? [] : [[[], value]];
    },
  };
}
