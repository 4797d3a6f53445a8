/** Options of a node of a log. */

import type { Replica } from "../store/replica.ts";
import type { StoreLog } from "../store/store-log.ts";
import type { Clock } from "./clock.ts";
import type { Engine } from "./engine.ts";
import type { LogCreation } from "./guard.ts";
import type { JournalSettings } from "./journal-settings.ts";
import type { NodeRecords } from "./poll-interval.ts";

/** Options of opening a journal. */
export interface JournalOptions {
  readonly engine: Engine;
  /** Empty; it belongs to the journal from now on. */
  readonly replica: Replica;
  readonly settings: JournalSettings;
  /** Default: a log is begun where there is none. */
  readonly creation?: LogCreation;
  /** By these the nodes are counted; default: they are not. */
  readonly nodeRecords?: NodeRecords;
  readonly log?: StoreLog;
  /** Default the machine's. */
  readonly clock?: Clock;
  /** Unix milliseconds; default the machine's. */
  readonly wallClock?: () => number;
  /** Breaks the opening off, which throws its reason then. */
  readonly ending?: AbortSignal | undefined;
  readonly carriedIds?: number;
  /** Newest format of the log that this program knows; for tests. */
  readonly knownFormat?: number;
}
