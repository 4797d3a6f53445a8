/** Settings of a node of a log (spec/journal §3 and spec/journal §4). */

/** Settings; times in milliseconds. */
export interface JournalSettings {
  /** Interval at which the engine is asked for the next entry; longer where many nodes share it. */
  readonly pollMs: number;
  /** Maximum age of the proof that the copy is the newest. When it is exceeded, nothing is answered from the copy. */
  readonly maxStalenessMs: number;
  readonly commitTimeoutMs: number;
  /** Entries after which a checkpoint is due. */
  readonly checkpointEvery: number;
  /** Time for which entries are kept. */
  readonly keepMs: number;
}
