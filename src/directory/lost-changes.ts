/** Lost entries of a log, and the making of them again: the contract of `history/apply-lost.ts` (spec/journal §3). */

import type { RecordName, UseCase, VersionedRecord } from "../store/port.ts";

/** Lost entries, as the file of a node has them. */
export interface LostChanges {
  /** Id of the log. */
  readonly log: string;
  /** Newest entry that the log kept. */
  readonly common: { readonly revision: number; readonly id: string };
  /** The lost entries, oldest first. */
  readonly entries: readonly LostEntry[];
  /** Records as lost entries left them. */
  readonly puts: readonly VersionedRecord[];
  /** Records that lost entries removed. */
  readonly removed: readonly RecordName[];
}

/** A lost entry; of some only the id was known. */
export interface LostEntry {
  readonly revision: number;
  readonly useCases?: readonly UseCase[] | undefined;
}

/** Kinds of what is made again. */
export type LostKind =
  | "user"
  | "group"
  | "policy"
  | "membership"
  | "attachment"
  | "external principal"
  | "resource type"
  | "resource"
  | "access key"
  | "password"
  | "end of sessions"
  | "used token";

/** One thing that is made again. */
export interface LostThing {
  readonly change: "create" | "replace" | "remove";
  readonly kind: LostKind;
  readonly name: string;
}

/** Things that are made again together, or not at all: those of one entry, and of others that wrote the same. */
export interface LostGroup {
  /** The lost entries, oldest first; empty where no entry names what was removed. */
  readonly entries: readonly number[];
  /** Names of those who asked for them. */
  readonly actors: readonly string[];
  readonly things: readonly LostThing[];
  /** Reasons for which they do not fit the directory of now; empty: they fit. */
  readonly refusals: readonly string[];
}

/** The result of {@link LostChanges} that are made again. */
export interface LostReport {
  readonly groups: readonly LostGroup[];
  /** Records that are already what lost entries left. */
  readonly unchanged: number;
  /** Records that are not made again, such as mails and the state of nodes, by partition. */
  readonly leftOut: Readonly<Record<string, number>>;
}
