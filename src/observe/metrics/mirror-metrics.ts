/** The metrics of mirroring, by region; none of them if no region is configured. */

import type { MirrorCounters, RegionCounters } from "../../mirroring/counters.ts";
import { metricsNamed, type Row, type ScrapedMetric } from "./metric.ts";

const { counter, gauge } = metricsNamed("svc_authorizer_mirror_");

/**
 * The metrics of mirrors. Those of several nodes have values of the mirrors for which they act.
 * @param now Unix milliseconds
 */
export function mirrorMetrics(counters: MirrorCounters | undefined, now = Date.now): ScrapedMetric[] {
  const regions = () => [...(counters?.regions ?? [])];
  const byRegion = (read: (counters: RegionCounters) => number) => ({
    labels: ["region"],
    read: () => regions().map(([region, counts]): Row => [[region], read(counts)]),
  });
  return [
    gauge(
      "lag_seconds",
      "Seconds since the oldest head of a source was first seen that its mirror does not show, or since a data server does not answer, of the mirror that is furthest behind.",
      byRegion(({ reports }) => lagOf(reports.values(), now() / 1_000)),
    ),
    gauge(
      "pass_age_seconds",
      "Seconds since the newest pass that came to its end, of the mirror that waits longest for one.",
      byRegion(({ passedAt }) => ageOf(passedAt.values(), now())),
    ),
    gauge("states", "Mirrors by state.", {
      labels: ["region", "state"],
      read: () =>
        regions().flatMap(([region, { reports }]) =>
          STATES.map(
            (state): Row => [
              [region, state],
              [...reports.values()].filter(({ phase }) => phase === state).length,
            ],
          ),
        ),
    }),
    gauge(
      "objects_missing",
      "Objects that mirrors wait for: a lower bound.",
      byRegion(({ reports }) => sumOf([...reports.values()].map((report) => report.objectsMissing))),
    ),
    gauge(
      "commits_pending",
      "Commits in the log of mirrors whose data was not seen yet.",
      byRegion(({ reports }) => sumOf([...reports.values()].map((report) => report.commitsPending))),
    ),
    ...countersOf(byRegion),
    counter("errors_total", "Passes over mirrors that failed, by kind (data_server, store, internal).", {
      labels: ["region", "kind"],
      read: () =>
        regions().flatMap(([region, { errors }]) =>
          Object.entries(errors).map(([kind, count]): Row => [[region, kind], count]),
        ),
    }),
  ];
}

type ByRegion = (read: (counters: RegionCounters) => number) => {
  readonly labels: readonly string[];
  readonly read: () => Row[];
};

function countersOf(byRegion: ByRegion): ScrapedMetric[] {
  return [
    counter(
      "passes_total",
      "Passes over mirrors that came to their end.",
      byRegion(({ passes }) => passes),
    ),
    counter(
      "commits_recorded_total",
      "Commits written to mirrors.",
      byRegion(({ recorded }) => recorded),
    ),
    counter(
      "objects_checked_total",
      "Looks at objects of mirrors.",
      byRegion(({ looks }) => looks),
    ),
    counter(
      "promotions_total",
      "Branches of mirrors that were moved to newer commits.",
      byRegion(({ promotions }) => promotions),
    ),
  ];
}

const STATES = ["creating", "syncing", "active", "degraded", "deleting", "failed"] as const;

function lagOf(
  reports: Iterable<{
    readonly heads: readonly { readonly since: number | undefined }[];
    readonly troubleSince: number | undefined;
  }>,
  now: number,
): number {
  let oldest = now;
  for (const { heads, troubleSince = now } of reports) {
    oldest = Math.min(oldest, troubleSince);
    for (const { since = now } of heads) oldest = Math.min(oldest, since);
  }
  return Math.max(0, Math.floor(now - oldest));
}

function ageOf(times: Iterable<number>, now: number): number {
  return Math.max(0, Math.floor((now - Math.min(now, ...times)) / 1_000));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
