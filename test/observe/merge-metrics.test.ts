/** Metrics of several processes as those of one service (spec/journal §7.4). */

import { describe, expect, it } from "vitest";
import { grown, type MetricSnapshot, mergeMetrics } from "../../src/observe/metrics/merge-metrics.ts";
import { OpenSnapshots } from "../../src/observe/metrics/open-snapshots.ts";

const metric = (
  name: string,
  type: MetricSnapshot["type"],
  ...values: readonly (readonly [Record<string, string | number>, number, string?])[]
): MetricSnapshot => ({
  name,
  type,
  help: "h",
  labels: [],
  values: values.map(([labels, value, metricName]) => ({
    labels,
    value,
    ...(metricName !== undefined && { metricName }),
  })),
});

const valuesOf = (processes: readonly (readonly MetricSnapshot[])[]) =>
  mergeMetrics(processes).flatMap(({ name, samples }) =>
    Array.from(samples(), ({ labels, value, metricName }) => [metricName ?? name, labels, value]),
  );

describe("the metrics of several processes", () => {
  it("are added by name and labels", () => {
    const one = [
      metric("a_total", "counter", [{ x: "1" }, 2], [{ x: "2" }, 3]),
      metric("size", "gauge", [{}, 4]),
    ];
    const other = [metric("a_total", "counter", [{ x: "2" }, 5]), metric("size", "gauge", [{}, 6])];
    expect(valuesOf([one, other])).toEqual([
      ["a_total", { x: "1" }, 2],
      ["a_total", { x: "2" }, 8],
      ["size", {}, 10],
    ]);
  });

  it("keep the buckets, sums and counts of histograms apart", () => {
    const histogram = (count: number) =>
      metric(
        "t",
        "histogram",
        [{ le: 1 }, count, "t_bucket"],
        [{}, count / 2, "t_sum"],
        [{}, count, "t_count"],
      );
    expect(valuesOf([[histogram(2)], [histogram(4)]])).toEqual([
      ["t_bucket", { le: 1 }, 6],
      ["t_sum", {}, 3],
      ["t_count", {}, 6],
    ]);
  });

  it.each([
    ["svc_authorizer_log_revision", 9],
    ["svc_authorizer_log_staleness_seconds", 9],
    ["svc_authorizer_build_info", 9],
    ["nodejs_eventloop_lag_p99_seconds", 9],
    ["svc_authorizer_cache_size", 13],
  ])("%s of 4 and 9 is %i", (name, merged) => {
    expect(valuesOf([[metric(name, "gauge", [{}, 4])], [metric(name, "gauge", [{}, 9])]])).toEqual([
      [name, {}, merged],
    ]);
  });

  it("of a process that has ended are only what grows", () => {
    const ended = [metric("a_total", "counter", [{}, 2]), metric("size", "gauge", [{}, 4])];
    expect(grown(ended).map(({ name }) => name)).toEqual(["a_total"]);
  });
});

it("a snapshot counts as held for long after 30 seconds, until it is released", () => {
  const open = new OpenSnapshots();
  const snapshot = {};
  open.opened(snapshot);
  const now = performance.now();
  expect([open.long(now), open.long(now + 31_000)]).toEqual([0, 1]);
  open.released(snapshot);
  expect(open.long(now + 31_000)).toBe(0);
});
