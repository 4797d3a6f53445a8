import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { DECISION_BOUNDS, FastHistogram, REQUEST_BOUNDS } from "../../src/observe/metrics/fast-histogram.ts";
import { prometheusText } from "../../src/observe/metrics/prometheus-text.ts";
import { histograms } from "../../src/observe/metrics/scraped-metric.ts";

const NAME = "sample_seconds";
const HELP = "Sample.";

/** The text of the library's own histogram and of ours, after the same observations by label value. */
async function bothTexts(
  bounds: readonly number[],
  data: readonly (readonly [string, number])[],
): Promise<string[]> {
  const theirs = new Registry();
  const reference = new Histogram({
    name: NAME,
    help: HELP,
    labelNames: ["entrance"],
    buckets: [...bounds],
    registers: [theirs],
  });
  const own = new Map<string, FastHistogram>();
  const ours = histograms(NAME, HELP, ["entrance"], () =>
    Array.from(own, ([entrance, one]) => [{ entrance }, one]),
  );
  for (const [entrance, seconds] of data) {
    reference.observe({ entrance }, seconds);
    if (!own.has(entrance)) own.set(entrance, new FastHistogram(bounds));
    own.get(entrance)?.observe(seconds);
  }
  return [await theirs.metrics(), prometheusText([ours])];
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
          const [theirs, ours] = await bothTexts(bounds, observations);
          expect(ours).toBe(theirs);
        }),
        { numRuns: 200 },
      );
    },
  );

  it("without labels gives cumulated buckets, sum and count", () => {
    const own = new FastHistogram([1, 2]);
    own.observe(1.5);
    expect(own.samples(NAME).map(({ value }) => value)).toEqual([0, 1, 1, 1.5, 1]);
  });

  it("ignores what is no duration", () => {
    const own = new FastHistogram([1]);
    for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      own.observe(seconds);
    expect([own.count, own.sum]).toEqual([0, 0]);
  });
});
