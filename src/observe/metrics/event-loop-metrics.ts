/**
 * Delay of the event loop and garbage collection of this process, under the names that dashboards for Node know.
 * Both need an observer that runs beside the program; `close` stops it, since many services share one process in tests.
 */

import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { FastHistogram } from "./fast-histogram.ts";
import { histograms, type ScrapedMetric, single } from "./scraped-metric.ts";

/** Metrics that must be closed. */
interface EventLoopMetrics {
  readonly metrics: readonly ScrapedMetric[];
  close(): void;
}

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const GC_BOUNDS: readonly number[] = [0.001, 0.01, 0.1, 1, 2, 5];

const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** A field that Node's types lack. */
type GcEntry = object & { readonly detail?: { readonly kind?: number } };

/** Starts measuring. */
export function openEventLoopMetrics(): EventLoopMetrics {
  const delay = eventLoopDelay();
  const collections = garbageCollections();
  return {
    metrics: [...delay.metrics, ...collections.metrics],
    close() {
      delay.close();
      collections.close();
    },
  };
}

function eventLoopDelay(): EventLoopMetrics {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  const gauge = (suffix: string, what: string, read: () => number): ScrapedMetric =>
    single("gauge", `nodejs_eventloop_lag_${suffix}seconds`, `${what} since the last scrape.`, () => {
      // Without a sample the monitor has extreme values or none.
      return monitor.count === 0 ? undefined : read() / NANOSECONDS;
    });
  const max = gauge(
    "max_",
    "Longest interval of the event loop monitor (20 ms when idle)",
    () => monitor.max,
  );
  const metrics = [
    gauge("min_", "Shortest interval of the event loop monitor", () => monitor.min),
    gauge("mean_", "Mean interval of the event loop monitor", () => monitor.mean),
    gauge("stddev_", "Standard deviation of the event loop monitor's intervals", () => monitor.stddev),
    gauge("p50_", "Median interval of the event loop monitor", () => monitor.percentile(50)),
    gauge("p90_", "90th percentile of the event loop monitor's intervals", () => monitor.percentile(90)),
    gauge("p99_", "99th percentile of the event loop monitor's intervals", () => monitor.percentile(99)),
    // Read last, since metrics are read in their order: reading it resets the monitor for the next scrape.
    { ...max, samples: () => withReset(max, () => monitor.reset()) },
  ];
  return { metrics, close: () => void monitor.disable() };
}

function withReset(metric: ScrapedMetric, reset: () => void): ReturnType<ScrapedMetric["samples"]> {
  const samples = metric.samples();
  reset();
  return samples;
}

function garbageCollections(): EventLoopMetrics {
  const kinds = new Map(GC_KINDS.values().map((kind) => [kind, new FastHistogram(GC_BOUNDS)] as const));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = GC_KINDS.get((entry as GcEntry).detail?.kind ?? 0);
      if (kind !== undefined) kinds.get(kind)?.observe(entry.duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const help = "Duration of garbage collections by kind: major, minor, incremental or weakcb.";
  const read = () => Array.from(kinds, ([kind, histogram]) => [{ kind }, histogram] as const);
  return {
    metrics: [histograms("nodejs_gc_duration_seconds", help, ["kind"], read)],
    close: () => observer.disconnect(),
  };
}
