import { describe, expect, it } from "vitest";
import { by, metricsNamed } from "../../src/observe/metrics/metric.ts";
import { openRegistry } from "../../src/observe/metrics/registry.ts";

const { counter, gauge } = metricsNamed("m_");

describe("the registry", () => {
  it("reads each metric anew for each scrape, in order, and shows what has a value now", async () => {
    const now: Record<string, number | undefined> = { count: 3, size: undefined, a: 1 };
    const registry = await openRegistry([
      counter("count", "h", () => now["count"]),
      gauge("size", "h", () => now["size"]),
      gauge(
        "kinds",
        "h",
        by("kind", () => (now["a"] === undefined ? { b: -2 } : { a: now["a"] })),
      ),
    ]);
    const series = async () => (await registry.metrics()).split("\n").filter((line) => line.startsWith("m_"));
    expect(await series()).toEqual(["m_count 3", 'm_kinds{kind="a"} 1']);
    Object.assign(now, { count: undefined, size: 0, a: undefined });
    expect(await series()).toEqual(["m_size 0", 'm_kinds{kind="b"} -2']);
  });

  it("writes numbers as Prometheus reads them", async () => {
    const values = [0, -0.5, 1e21, 1e-7, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    const registry = await openRegistry(values.map((value, index) => gauge(`${index}`, "h", () => value)));
    const written = (await registry.metrics()).split("\n").filter((line) => /^m_\d/.test(line));
    // Prometheus reads its numbers with Go's ParseFloat, which takes NaN in any case.
    expect(written.map((line) => line.split(" ")[1])).toEqual([
      "0",
      "-0.5",
      "1e+21",
      "1e-7",
      "+Inf",
      "-Inf",
      "Nan",
    ]);
  });
});
