/**
 * Delay of the event loop and garbage collection of this process, under the names that dashboards for Node know.
 * Both need an observer that runs beside the program; `close` stops it, since many services share one process in tests.
 */

import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { FastHistogram } from "./histograms/fast-histogram.ts";
import { by, metricsNamed, type ScrapedMetric } from "./metric.ts";

/** Metrics that must be closed. */
interface EventLoopMetrics {
  readonly metrics: readonly ScrapedMetric[];
  close(): void;
}

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const GC_BOUNDS: readonly number[] = [0.001, 0.01, 0.1, 1, 2, 5];

const { gauge, histogram } = metricsNamed("nodejs_");

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
  const lag = (suffix: string, what: string, read: () => number): ScrapedMetric =>
    // Without a sample the monitor has extreme values or none.
    gauge(`eventloop_lag_${suffix}_seconds`, `${what} since the last scrape.`, () => {
      return monitor.count === 0 ? undefined : read() / NANOSECONDS;
    });
  const metrics = [
    lag("min", "Shortest interval of the event loop monitor", () => monitor.min),
    lag("mean", "Mean interval of the event loop monitor", () => monitor.mean),
    lag("stddev", "Standard deviation of the event loop monitor's intervals", () => monitor.stddev),
    lag("p50", "Median interval of the event loop monitor", () => monitor.percentile(50)),
    lag("p90", "90th percentile of the event loop monitor's intervals", () => monitor.percentile(90)),
    lag("p99", "99th percentile of the event loop monitor's intervals", () => monitor.percentile(99)),
    // Read last, since metrics are read in their order: reading it resets the monitor for the next scrape.
    lag("max", "Longest interval of the event loop monitor (20 ms when idle)", () => {
      const { max } = monitor;
      monitor.reset();
      return max;
    }),
  ];
  return { metrics, close: () => void monitor.disable() };
}

function garbageCollections(): EventLoopMetrics {
  const byKind = Object.fromEntries(GC_KINDS.values().map((kind) => [kind, new FastHistogram(GC_BOUNDS)]));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = GC_KINDS.get((entry as GcEntry).detail?.kind ?? 0);
      if (kind !== undefined) byKind[kind]?.observe(entry.duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const help = "Duration of garbage collections by kind: major, minor, incremental or weakcb.";
  return {
    metrics: [
      histogram(
        "gc_duration_seconds",
        help,
        by("kind", () => byKind),
      ),
    ],
    close: () => observer.disconnect(),
  };
}
