/** The surroundings of a node. */

import type { EntryId, FormerState, Replica } from "../store/replica.ts";
import type { Clock } from "./clock.ts";
import type { JournalCounters } from "./counters.ts";
import type { Engine } from "./engine.ts";
import type { NodeEnd } from "./until-ended.ts";

/** The parts that a node is built from. */
export interface NodeParts extends NodeEnd {
  readonly engine: Engine;
  readonly replica: Replica;
  readonly counters: JournalCounters;
  readonly clock: Clock;
  /** Unix milliseconds; default the machine's. */
  readonly wallClock?: () => number;
  /** Called when the log turns out to have gone back, before the copy is made anew. */
  readonly onRewound: (revision: number) => void;
  /** Called when the new state has taken the place of the former one, which is released by whom is called. */
  readonly onWentBack?: (back: LostPast) => void;
  /** Called when {@link LogNode.condition} changes. */
  readonly onCondition?: () => void;
  /** Ids that are carried; for tests. */
  readonly carriedIds?: number;
  /** Newest format of the log that this program knows; for tests. */
  readonly knownFormat?: number;
}

/** A copy that was made anew, and the state that has the entries that the log lost. */
export interface LostPast {
  /** Id of the log. */
  readonly log: string;
  /** Id of the log of the former state: another one where a command said that the nodes go over. */
  readonly formerLog: string;
  /** Newest revision that both states have; undefined where that is not known. */
  readonly common: number | undefined;
  /** Newest revision of the former state. */
  readonly from: number;
  /** Newest revision of the new state. */
  readonly to: number;
  /** Ids of the newest entries of the former state, in order. */
  readonly ids: readonly EntryId[];
  readonly former: FormerState;
}
