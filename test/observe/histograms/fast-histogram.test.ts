/** The canary of `src/observe/metrics/histograms/README.md`: our histograms in the registry of the installed prom-client. */

import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import {
  DECISION_BOUNDS,
  FastHistogram,
  REQUEST_BOUNDS,
} from "../../../src/observe/metrics/histograms/fast-histogram.ts";
import { by, metricsNamed } from "../../../src/observe/metrics/metric.ts";
import { openRegistry } from "../../../src/observe/metrics/registry.ts";

const NAME = "sample_seconds";
const HELP = "Sample.";

/** The registries with the library's own histogram and with ours, after the same observations by label value. */
async function both(
  bounds: readonly number[],
  data: readonly (readonly [string, number])[],
): Promise<readonly Registry[]> {
  const theirs = new Registry();
  const reference = new Histogram({
    name: NAME,
    help: HELP,
    labelNames: ["entrance"],
    buckets: [...bounds],
    registers: [theirs],
  });
  const own: Record<string, FastHistogram> = {};
  for (const [entrance, seconds] of data) {
    reference.observe({ entrance }, seconds);
    own[entrance] ??= new FastHistogram(bounds);
    own[entrance].observe(seconds);
  }
  const { histogram } = metricsNamed("");
  const ours = await openRegistry([
    histogram(
      NAME,
      HELP,
      by("entrance", () => own),
    ),
  ]);
  return [theirs, ours];
}

describe("a fast histogram", () => {
  it.each([DECISION_BOUNDS, REQUEST_BOUNDS, [1], []])(
    "gives the same text as the library's own on random data (bounds %j)",
    async (...bounds) => {
      const seconds = fc.oneof(
        fc.double({ min: -1, max: 20, noNaN: true }),
        fc.double({ min: 0, max: 0.001, noNaN: true }),
        fc.constantFrom(0, ...bounds),
      );
      const data = fc.array(fc.tuple(fc.constantFrom("check", "filter"), seconds), { maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(data, async (observations) => {
          const registries = await both(bounds, observations);
          const [theirs, ours] = await Promise.all(registries.map((one) => one.metrics()));
          expect(ours).toBe(theirs);
          const [given, read] = await Promise.all(registries.map((one) => one.getMetricsAsJSON()));
          expect(given).toMatchObject(read as object[]);
        }),
        { numRuns: 200 },
      );
    },
  );

  it("without labels gives cumulated buckets, sum and count", async () => {
    const own = new FastHistogram([1, 2]);
    own.observe(1.5);
    const { histogram } = metricsNamed("");
    const registry = await openRegistry([histogram(NAME, HELP, { labels: [], read: () => [[[], own]] })]);
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values.map(({ value }) => value)).toEqual([0, 1, 1, 1.5, 1]);
  });

  it("ignores what is no duration", () => {
    const own = new FastHistogram([1]);
    for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      own.observe(seconds);
    expect([own.count, own.sum]).toEqual([0, 0]);
  });
});
