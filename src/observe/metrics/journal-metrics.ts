/** The metrics of the log; those of a node that shares its database with others are absent in a store of one process. */

import type { JournalCounters } from "../../journal/counters.ts";
import type { EngineTimes } from "./engine-metrics.ts";
import { histograms, labelled, type ScrapedMetric, single } from "./scraped-metric.ts";

const PREFIX = "svc_authorizer_log_";

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

/** The metrics of a log. */
export function journalMetrics({ revision, log, journal, engineTimes }: LogSource): ScrapedMetric[] {
  const of = (read: (source: JournalSource) => number) => () =>
    journal === undefined ? undefined : read(journal);
  const counter = (name: string, help: string, read: (counters: JournalCounters) => number): ScrapedMetric =>
    single(
      "counter",
      `${PREFIX}${name}`,
      help,
      of(({ counters }) => read(counters)),
    );
  return [
    single("gauge", `${PREFIX}revision`, "Newest revision of the log that this node has.", revision),
    infoMetric(log),
    single(
      "gauge",
      `${PREFIX}staleness_seconds`,
      "Time since this node was known to have the newest revision.",
      of((source) => source.staleness() / 1_000),
    ),
    single(
      "gauge",
      `${PREFIX}lag_seconds`,
      "Time from the commit of the newest entry of another node to its application here, by the clocks of both.",
      () => (journal?.counters.lagMs === undefined ? undefined : journal.counters.lagMs / 1_000),
    ),
    engineMetric(engineTimes),
    labelled(
      "counter",
      `${PREFIX}entries_total`,
      "Entries of the log: applied by this node, and committed by it.",
      ["kind"],
      () =>
        journal === undefined
          ? []
          : [
              [{ kind: "applied" }, journal.counters.applied],
              [{ kind: "committed" }, journal.counters.committed],
            ],
    ),
    counter("commits_total", "Commits in the entries that this node created.", ({ useCases }) => useCases),
    counter("lost_races_total", "Entries that another node was faster with.", ({ lostRaces }) => lostRaces),
    counter(
      "conflicts_total",
      "Commits that had read what others changed meanwhile, and ran again.",
      ({ conflicts }) => conflicts,
    ),
    counter(
      "outcome_unknown_total",
      "Commits whose callers were told that the outcome is unknown.",
      ({ outcomeUnknown }) => outcomeUnknown,
    ),
    ...copyMetrics(journal, counter),
    counter("engine_errors_total", "Calls of the database that failed.", ({ engineErrors }) => engineErrors),
    counter("checkpoints_total", "Checkpoints that this node wrote.", ({ checkpoints }) => checkpoints),
  ];
}

/** The metrics of the copy and its log. */
function copyMetrics(
  journal: JournalSource | undefined,
  counter: (name: string, help: string, read: (counters: JournalCounters) => number) => ScrapedMetric,
): ScrapedMetric[] {
  return [
    counter(
      "rewound_total",
      "Times that the database had lost what this node had applied, as after a restore from a backup.",
      ({ rewound }) => rewound,
    ),
    counter(
      "lost_entries_total",
      "Entries that the database had lost and that were written to a file beside the copy.",
      ({ lostEntries }) => lostEntries,
    ),
    single(
      "gauge",
      `${PREFIX}stops_seconds`,
      "Unix time from which on this node answers nothing, unless its copy is proved to be the newest before.",
      () => {
        const stopsAt = journal?.copyState?.().stopsAt;
        return stopsAt === undefined ? undefined : stopsAt / 1_000;
      },
    ),
    labelled(
      "gauge",
      `${PREFIX}copy_state`,
      "1 for the state of this node's copy: whole, rebuilding, or waiting for its log (no_log, other_log, broken_log).",
      ["kind"],
      () => {
        const kind = journal?.copyState?.().kind;
        return kind === undefined ? [] : [[{ kind }, 1]];
      },
    ),
  ];
}

function infoMetric(log: () => string): ScrapedMetric {
  return labelled(
    "gauge",
    `${PREFIX}info`,
    "1, for the log that this node follows, by the first characters of its id: nodes of one fleet have the same.",
    ["log"],
    () => (log() === "" ? [] : [[{ log: log() }, 1]]),
  );
}

function engineMetric(engineTimes: EngineTimes | undefined): ScrapedMetric {
  return histograms(
    `${PREFIX}engine_duration_seconds`,
    "Time of calls of the shared database, failed ones among them.",
    ["operation"],
    () => Object.entries(engineTimes ?? {}).map(([operation, times]) => [{ operation }, times] as const),
  );
}
