/** A store that is the copy of a log: it takes entries with their revision, and whole states (journal.md §1). */

import type { Commit, EntryWrites, Store, VersionedRecord } from "./port.ts";

/** An entry without what it writes. */
export interface EntryName {
  readonly revision: number;
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** Id of the process that wrote it. */
  readonly node: string;
}

/** The entry that a whole state was read at. */
export interface StateName extends EntryName {
  /** Id of the first entry of the log. */
  readonly log: string;
}

/** Revision and id of an entry. */
export type EntryId = readonly [revision: number, id: string];

/** The place where a copy stands that was kept from an earlier process. */
export interface ReplicaPosition {
  /** 0: the copy is empty. */
  readonly revision: number;
  readonly id: string;
  readonly at: string;
  readonly log: string;
  /** Ids of the newest entries, in order. */
  readonly recent: readonly EntryId[];
}

/** A node's own copy. Its own `commit` is not used: what it holds comes from the log. */
export interface Replica extends Store {
  /** The folder where it is, which other processes may read; absent in memory. */
  readonly folder?: string;
  /** True when what a commit was derived from, and what it expects, holds in the newest state. */
  holds(commit: Commit): boolean;
  /** Applies what an entry writes, as its revision, and tells those who follow. */
  applyEntry(entry: EntryName, writes: EntryWrites): Promise<void>;
  /** Replaces everything by the state of a revision, and tells those who follow that anything may have changed. */
  replaceState(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent?: readonly EntryId[],
  ): Promise<void>;
  /** Frees what processes that ended held of it; absent where no other process reads it. */
  clearReaders?(): void;
  /** The place where the copy stood when it was opened; absent where copies are always empty at first. */
  position?(): ReplicaPosition;
  /** Everything at one revision, in the order of partitions and keys. */
  state(): { readonly revision: number; readonly pages: AsyncIterable<readonly VersionedRecord[]> };
}
