/** Counters of a decision log, as plain numbers that are read when metrics are scraped. */

/** The counters. */
export interface DecisionLogCounters {
  /** Lines on disk. */
  records: number;
  /** Bytes on disk, before compression. */
  bytes: number;
  /** Decisions without a record, for want of room. */
  lost: number;
  /** Decisions that were refused because there was no room for their records. */
  refused: number;
  /** Failed attempts to write. */
  failures: number;
  /** Lines that wait to be written. */
  waiting: number;
}

/** Returns counters that are all zero. */
export function newCounters(): DecisionLogCounters {
  return { records: 0, bytes: 0, lost: 0, refused: 0, failures: 0, waiting: 0 };
}
