/** Metrics of several processes as those of one service (spec/journal §7.4). */

import { describe, expect, it } from "vitest";
import { FleetMetrics } from "../../src/compose/workers/fleet-metrics.ts";
import { KIND } from "../../src/compose/workers/worker-role.ts";
import { FastHistogram } from "../../src/observe/metrics/histograms/fast-histogram.ts";
import { by, metricsNamed, type ScrapedMetric } from "../../src/observe/metrics/metric.ts";
import { OpenSnapshots } from "../../src/observe/metrics/open-snapshots.ts";
import { joined, openRegistry } from "../../src/observe/metrics/registry.ts";
import type { FleetWorker } from "../../src/workers/fleet.ts";
import { channelTo } from "../workers/channel-to.ts";

const { counter, gauge, histogram } = metricsNamed("");
const size = (value: number): ScrapedMetric => gauge("size", "h", () => value);

const snapshotOf = async (metrics: readonly ScrapedMetric[]) =>
  (await openRegistry(metrics)).getMetricsAsJSON();

/** The series that several processes have together. */
async function valuesOf(...processes: readonly (readonly ScrapedMetric[])[]) {
  const snapshots = await Promise.all(processes.map(snapshotOf));
  // As they arrive from another process.
  const received = structuredClone(snapshots);
  return (await (await joined(received)).metrics()).split("\n").filter((line) => /^[a-z]/.test(line));
}

const linesOf = (text: string, ...names: readonly string[]): readonly string[] =>
  text.split("\n").filter((line) => names.includes(line.split(" ")[0] as string));

/** A worker that answers with these metrics. */
const workerWith = (metrics: readonly ScrapedMetric[]): FleetWorker => ({
  pid: 1,
  channel: channelTo({ [KIND.metrics]: () => snapshotOf(metrics) }),
});

describe("the metrics of several processes", () => {
  it("are added by name and labels", async () => {
    const total = (values: Record<string, number>) =>
      counter(
        "a_total",
        "h",
        by("x", () => values),
      );
    const [one, other] = [
      [total({ 1: 2, 2: 3 }), size(4)],
      [total({ 2: 5 }), size(6)],
    ];
    expect(await valuesOf(one, other)).toEqual(['a_total{x="1"} 2', 'a_total{x="2"} 8', "size 10"]);
  });

  it("keep the buckets, sums and counts of histograms apart", async () => {
    const times = (...seconds: readonly number[]) => {
      const own = new FastHistogram([1]);
      for (const one of seconds) own.observe(one);
      return [histogram("t", "h", { labels: [], read: () => [[[], own]] })];
    };
    expect(await valuesOf(times(0.5, 2), times(0.5, 0.5, 4, 5))).toEqual([
      't_bucket{le="1"} 3',
      't_bucket{le="+Inf"} 6',
      "t_sum 12.5",
      "t_count 6",
    ]);
  });

  it.each([
    ["svc_authorizer_log_revision", 9],
    ["svc_authorizer_log_staleness_seconds", 9],
    ["svc_authorizer_build_info", 9],
    ["nodejs_eventloop_lag_p99_seconds", 9],
    ["svc_authorizer_cache_size", 13],
  ])("%s of 4 and 9 is %i", async (name, together) => {
    const values = [4, 9].map((value) => [gauge(name, "h", () => value)]);
    expect(await valuesOf(...values)).toEqual([`${name} ${together}`]);
  });

  it("of a process that has ended are only what grows", async () => {
    const metrics = new FleetMetrics({ snapshot: () => snapshotOf([size(1)]) });
    const worker = workerWith([counter("a_total", "h", () => 2), size(4)]);
    const fleet = { workers: [worker], replaced: 0 };
    expect(linesOf(await metrics.text(fleet), "a_total", "size")).toEqual(["size 5", "a_total 2"]);
    metrics.gone(worker);
    const after = await metrics.text({ workers: [], replaced: 1 });
    expect(linesOf(after, "a_total", "size")).toEqual(["size 1", "a_total 2"]);
    expect(linesOf(after, "svc_authorizer_workers_replaced_total")).toEqual([
      "svc_authorizer_workers_replaced_total 1",
    ]);
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
