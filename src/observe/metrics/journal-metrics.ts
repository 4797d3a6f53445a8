/** The metrics of the log; those of a node that shares its database with others are absent in a store of one process. */

import type { JournalCounters } from "../../journal/counters.ts";
import type { EngineTimes } from "./engine-metrics.ts";
import { by, metricsNamed, type ScrapedMetric } from "./metric.ts";

/** The values that are read from a node. */
interface JournalSource {
  readonly counters: JournalCounters;
  /** Milliseconds. */
  staleness(): number;
  /** `stopsAt`: Unix milliseconds. */
  copyState?(): { readonly kind: string; readonly stopsAt: number };
}

/** The values that are read from the log of any store. */
export interface LogSource {
  /** The newest revision that this process has. */
  readonly revision: () => number;
  /** The first 8 characters of the id of the log; "" before the first entry. */
  readonly log: () => string;
  /** The node, where several share a database. */
  readonly journal: JournalSource | undefined;
  readonly engineTimes: EngineTimes | undefined;
}

const { counter, gauge, histogram } = metricsNamed("svc_authorizer_log_");

/** The metrics of a log. */
export function journalMetrics({ revision, log, journal, engineTimes }: LogSource): ScrapedMetric[] {
  const counted = journal?.counters;
  return [
    gauge("revision", "Newest revision of the log that this node has.", revision),
    gauge(
      "info",
      "1, for the log that this node follows, by the first characters of its id: nodes of one fleet have the same.",
      by("log", () => (log() === "" ? undefined : { [log()]: 1 })),
    ),
    gauge(
      "staleness_seconds",
      "Time since this node was known to have the newest revision.",
      () => journal && journal.staleness() / 1_000,
    ),
    gauge(
      "lag_seconds",
      "Time from the commit of the newest entry of another node to its application here, by the clocks of both.",
      () => (counted?.lagMs === undefined ? undefined : counted.lagMs / 1_000),
    ),
    histogram(
      "engine_duration_seconds",
      "Time of calls of the shared database, failed ones among them.",
      by("operation", () => engineTimes),
    ),
    counter(
      "entries_total",
      "Entries of the log: applied by this node, and committed by it.",
      by("kind", () => counted && { applied: counted.applied, committed: counted.committed }),
    ),
    counter("commits_total", "Commits in the entries that this node created.", () => counted?.useCases),
    counter("lost_races_total", "Entries that another node was faster with.", () => counted?.lostRaces),
    counter(
      "conflicts_total",
      "Commits that had read what others changed meanwhile, and ran again.",
      () => counted?.conflicts,
    ),
    counter(
      "outcome_unknown_total",
      "Commits whose callers were told that the outcome is unknown.",
      () => counted?.outcomeUnknown,
    ),
    ...copyMetrics(journal),
    counter("engine_errors_total", "Calls of the database that failed.", () => counted?.engineErrors),
    counter("checkpoints_total", "Checkpoints that this node wrote.", () => counted?.checkpoints),
  ];
}

/** The metrics of the copy and its log. */
function copyMetrics(journal: JournalSource | undefined): ScrapedMetric[] {
  return [
    counter(
      "rewound_total",
      "Times that the database had lost what this node had applied, as after a restore from a backup.",
      () => journal?.counters.rewound,
    ),
    counter(
      "lost_entries_total",
      "Entries that the database had lost and that were written to a file beside the copy.",
      () => journal?.counters.lostEntries,
    ),
    gauge(
      "stops_seconds",
      "Unix time from which on this node answers nothing, unless its copy is proved to be the newest before.",
      () => {
        const stopsAt = journal?.copyState?.().stopsAt;
        return stopsAt === undefined ? undefined : stopsAt / 1_000;
      },
    ),
    gauge(
      "copy_state",
      "1 for the state of this node's copy: whole, rebuilding, or waiting for its log (no_log, other_log, broken_log).",
      by("kind", () => {
        const kind = journal?.copyState?.().kind;
        return kind === undefined ? undefined : { [kind]: 1 };
      }),
    ),
  ];
}
