import fc from "fast-check";
import { type Metric, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "../../src/observe/metrics/prometheus-text.ts";
import { labelled, type ScrapedMetric, single } from "../../src/observe/metrics/scraped-metric.ts";

/** Returns the text that the metrics library prints for the same metrics. */
async function oracle(metrics: readonly ScrapedMetric[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, type, samples } of metrics) {
    const values = [...samples()];
    const metric = { name, help, type, get: async () => ({ name, help, type, values }), reset: () => {} };
    registry.registerMetric(metric as unknown as Metric);
  }
  return registry.metrics();
}

const NAME = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/);
const VALUE = fc.double({ noNaN: true });
const METRIC = fc
  .record({
    name: NAME,
    help: fc.string({ minLength: 1, unit: "binary" }),
    samples: fc.array(fc.tuple(fc.dictionary(NAME, fc.string({ unit: "binary" })), VALUE), { minLength: 1 }),
  })
  .map(({ name, help, samples }) => labelled("gauge", name, help, [], () => samples));

describe("the text format", () => {
  it("is that of prom-client, whatever stands in labels and help", async () => {
    const metrics = fc.uniqueArray(METRIC, { selector: ({ name }) => name, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(metrics, async (all) => {
        expect(prometheusText(all)).toBe(await oracle(all));
      }),
    );
    expect(PROMETHEUS_CONTENT_TYPE).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
  });

  it("writes numbers as Prometheus reads them", () => {
    const values = [0, -0.5, 1e21, 1e-7, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    const text = prometheusText(values.map((value, index) => single("gauge", `m${index}`, "h", () => value)));
    const written = text.split("\n").filter((line) => /^m\d/.test(line));
    expect(written.map((line) => line.split(" ")[1])).toEqual([
      "0",
      "-0.5",
      "1e+21",
      "1e-7",
      "+Inf",
      "-Inf",
      "NaN",
    ]);
  });
});
