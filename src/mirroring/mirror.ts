/** Mirrors as they are configured, and what is told of them. */

import type { BranchPatterns } from "./branch-selection.ts";

/** A mirror as it was asked for. */
export interface Mirror {
  /** Random; the progress belongs to it, and the repository of the mirror carries it. */
  readonly uid: string;
  /** Name of the mirror's repository, and its id. */
  readonly name: string;
  readonly region: string;
  readonly sourceRepository: string;
  readonly storageNamespace: string;
  readonly branches: BranchPatterns;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly createdBy: string;
  /** True from the call that deletes it on. */
  readonly isDeleting?: true;
}

/** States of a mirror (spec/mirroring §2). */
export type MirrorPhase = "creating" | "syncing" | "active" | "degraded" | "deleting" | "failed";

/** A branch at the source and on the mirror. */
interface HeadPair {
  readonly branch: string;
  readonly source: string;
  /** undefined: the mirror lacks the branch. */
  readonly mirror: string | undefined;
  /** Unix seconds since the source has a head that the mirror has not; undefined where both are the same. */
  readonly since: number | undefined;
}

/** Everything that is known of a mirror after a pass. */
export interface MirrorReport {
  readonly phase: MirrorPhase;
  /** The reasons why it is not active, and what to do; "" for nothing. */
  readonly reason: string;
  readonly defaultBranch: string | undefined;
  readonly heads: readonly HeadPair[];
  readonly commitsRecorded: number;
  readonly commitsPending: number;
  /** Unix seconds of the recording of the oldest commit that is not complete. */
  readonly oldestPendingAt: number | undefined;
  /** A lower bound. */
  readonly objectsMissing: number;
  readonly externalObjects: number;
  /** Objects that the source lost, too. */
  readonly goneAtSource: number;
  /**
   * Seconds since the oldest head was first seen that the mirror has not, or since a data server does not answer: nobody knows
   * what the source has got since.
   */
  readonly lagSeconds: number;
  /** Unix seconds since a data server does not answer; undefined while both do. */
  readonly troubleSince: number | undefined;
  /** Unix seconds at which a process that acts for the mirror wrote last, which it does every few minutes. */
  readonly actedAt: number | undefined;
  /** Counts of this pass. */
  readonly work: { readonly recorded: number; readonly looks: number; readonly promotions: number };
}
