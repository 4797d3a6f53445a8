/** A store that is the copy of a log: it takes entries with their revision, and whole states (spec/journal §1). */

import type { Commit, CommittedChange, EntryWrites, Store, VersionedRecord } from "./port.ts";

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

/** The newest contact of a node to its database, as it is noted beside the copy (spec/journal §3). */
export interface NotedContact {
  /** Id of the machine's run; "" where it is not known. */
  readonly boot: string;
  readonly machine: string;
  /** Unix milliseconds at which the copy was proved to be the newest. */
  readonly wall: number;
  /** The same moment in monotonic milliseconds of the machine's run. */
  readonly monotonic: number;
}

/** The note of an earlier process, as a process finds it that starts with the same copy. */
export interface KeptContact extends NotedContact {
  /** True in the machine's run in which it was noted. */
  readonly isSameRun: boolean;
}

/** A state that another one has replaced. */
export interface FormerState {
  /** The folder where it is kept; undefined where it is in memory. */
  readonly folder: string | undefined;
  /** Entries after a revision, oldest first, at most `limit`; undefined where some are not noted. */
  changes(after: number, limit: number): readonly CommittedChange[] | undefined;
  /** Everything in it, in the order of partitions and keys. */
  pages(): AsyncIterable<readonly VersionedRecord[]>;
  /** To be called once it has been read. */
  release(): Promise<void>;
}

/** A state that is made beside the one that counts: nobody reads it before it is whole (spec/journal §3). */
export interface StateBeside {
  /** Fills it with the state of a revision; once, before entries are applied. */
  fill(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent: readonly EntryId[],
  ): Promise<void>;
  /**
   * Applies what the next entry writes, as it comes in pieces, the first of which says what the entry touched. The state is to
   * be discarded where they end with an error.
   */
  apply(entry: EntryName, pieces: AsyncIterable<EntryWrites>): Promise<void>;
  /**
   * Puts it in the place of the state that counts, in one step, and tells those who follow that anything may have
   * changed. Resolves with the state before.
   */
  take(): Promise<FormerState>;
  /** Removes it. */
  discard(): Promise<void>;
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
  /** Begins a state beside the one that counts, which goes on being read and takes no entries meanwhile. */
  beside(): Promise<StateBeside>;
  /** Frees what processes that ended held of it; absent where no other process reads it. */
  clearReaders?(): void;
  /** The place where the copy stood when it was opened; absent where copies are always empty at first. */
  position?(): ReplicaPosition;
  /**
   * The contact that an earlier process noted; undefined where that says nothing about this copy: it was made anew, comes
   * from another machine, or was not closed before the machine went down. Absent where copies are always empty at first.
   */
  keptContact?(): KeptContact | undefined;
  /** Notes that the copy was proved to be the newest then. Absent where copies go with the process. */
  noteContact?(moment: Pick<NotedContact, "wall" | "monotonic">): void;
  /** Everything at one revision, in the order of partitions and keys. */
  state(): { readonly revision: number; readonly pages: AsyncIterable<readonly VersionedRecord[]> };
}
