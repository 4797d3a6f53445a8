/** The values that metrics read from a journal. */

export interface JournalCounters {
  /** Entries that this node applied, its own included. */
  applied: number;
  /** Entries that this node created. */
  committed: number;
  /** Use cases in them. */
  useCases: number;
  /** Entries that another node was faster with. */
  lostRaces: number;
  /** Use cases that ran on something that others changed meanwhile. */
  conflicts: number;
  /** Commits whose outcome was unknown when their callers were answered. */
  outcomeUnknown: number;
  /** Times that the log had lost what this node had applied. */
  rewound: number;
  /** Entries that the log had lost, and that were written to a file. */
  lostEntries: number;
  /** Calls of the engine that failed. */
  engineErrors: number;
  checkpoints: number;
  /**
   * Milliseconds between the time of the newest entry of another node and its application here, by the clocks of both;
   * undefined before the first.
   */
  lagMs: number | undefined;
}

/** Counters, all zero. */
export function createJournalCounters(): JournalCounters {
  return {
    applied: 0,
    committed: 0,
    useCases: 0,
    lostRaces: 0,
    conflicts: 0,
    outcomeUnknown: 0,
    rewound: 0,
    lostEntries: 0,
    engineErrors: 0,
    checkpoints: 0,
    lagMs: undefined,
  };
}
