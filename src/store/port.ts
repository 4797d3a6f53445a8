/**
 * The port of the key-value store (`database.type`): ordered, partitioned, with snapshots and atomic commits of any
 * size, each of which is one revision (spec/journal §1). Each implementation passes the contract suite in
 * `test/contract/store-contract.ts`.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CopyState } from "./copy-state.ts";
import type { Expectation } from "./expectation.ts";
import type { StoreTrouble } from "./trouble.ts";

/** Longest key in UTF-8 bytes. LMDB's limit is 1,978 bytes for partition and key together. */
export const MAX_KEY_BYTES = 1_900;

/** A value with the version that its last write gave it. */
export interface StoredRecord {
  /** UTF-8 text, opaque to the store (JSON by the directory's choice). */
  readonly value: string;
  /** The revision that wrote it, as a text; never repeats for a key, also across delete and re-create. */
  readonly version: string;
}

/** A record found by a scan. */
export interface ScannedRecord extends StoredRecord {
  readonly key: string;
}

/** Range of a scan. Keys come in ascending order of their UTF-8 bytes. */
export interface ScanOptions {
  /** Only keys that begin with this text; default "". */
  readonly prefix?: string;
  /** Only keys greater than this one (need not exist, need not begin with the prefix); default none. */
  readonly after?: string;
  /** At most this many records, ≥ 1. */
  readonly limit: number;
}

/** One consistent state: nothing committed after its creation shows. Must be released. */
export interface Snapshot {
  /** Revision of the newest commit that this state has; 0 for a new store. */
  readonly revision: number;
  /** Names the whole state that was loaded and led to this one; absent where no other one can take its place. */
  readonly base?: string | undefined;
  get(partition: string, key: string): Promise<StoredRecord | undefined>;
  /** As `get` for each key, in the order given; duplicates are allowed. */
  getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]>;
  scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]>;
  /** Frees the snapshot; calling it twice is harmless. Reading afterwards throws. */
  release(): void;
}

/** A part of a partition that was scanned: keys with `prefix` greater than `after`, up to and with `upTo`. */
export interface ScannedRange {
  readonly partition: string;
  readonly prefix: string;
  readonly after: string | undefined;
  /** Last key that was read; undefined: the scan reached the end. */
  readonly upTo: string | undefined;
}

/** The keys that a use case read from one snapshot: its commit fails if a later commit wrote any of them. */
export interface ReadSet {
  /** Revision of the snapshot. */
  readonly revision: number;
  /** Its {@link Snapshot.base}: the entries up to its revision may have been others in another state. */
  readonly base?: string | undefined;
  /** Keys that were read, by partition. */
  readonly keys: ReadonlyMap<string, { has(key: string): boolean; keys(): Iterable<string> }>;
  readonly ranges: readonly ScannedRange[];
}

/** Names a record. */
export interface RecordName {
  readonly partition: string;
  readonly key: string;
}

/** A record to be written. */
export interface RecordPut extends RecordName {
  readonly value: string;
}

/**
 * The entities that a commit touches, by internal ids. `all`: anything may have changed. A decision about a user
 * depends on the user's id, the ids of its groups and the ids of its policies.
 */
export interface Change {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  /** Resource types or registered resources changed. */
  readonly resources?: boolean;
  readonly all?: boolean;
}

/** A set of writes, of any size, that happens whole or not at all. */
export interface Commit {
  readonly expect?: readonly Expectation[];
  /** The reads from which the writes were derived. */
  readonly reads?: ReadSet;
  readonly put?: readonly RecordPut[];
  readonly delete?: readonly RecordName[];
  /** The entities that it touches, by internal ids, for caches. */
  readonly change?: Change;
  /** The things that it touches, by name, for people and programs that read the log. */
  readonly touched?: Touched;
  /** The name of the user or program that asked for it, where there is one. */
  readonly actor?: string;
}

/** The things that a commit touches, by name (spec/journal §1). `all`: more than {@link MAX_TOUCHED} names, or a whole state. */
export interface Touched {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  /** Resource types by name, and registered resources as `<type>/<id>`. */
  readonly resources?: readonly string[];
  readonly all?: boolean;
}

/** Most names that an entry carries; one that touches more says `all`. */
export const MAX_TOUCHED = 5_000;

/** One of the use cases whose writes an entry holds. */
export interface UseCase {
  /** The name of the user or program that asked for it, where there is one. */
  readonly actor?: string;
  readonly touched?: Touched;
}

/** An entry of the log, as those who follow it see it. */
export interface CommittedChange {
  readonly revision: number;
  /** Id of the entry; unique. */
  readonly id: string;
  /** Time of the commit, RFC 3339; never before that of the entry before. */
  readonly at: string;
  /** Id of the process that wrote it. */
  readonly node: string;
  /** The use cases in it, in order; those that touch nothing and were asked for by nobody are left out. */
  readonly useCases: readonly UseCase[];
  /** The entities that it touches, by internal ids, for caches. */
  readonly change?: Change;
}

/** A list that is read in its order, again and again: an array, or one whose items are made as they are taken. */
export interface Listed<T> extends Iterable<T> {
  readonly length: number;
}

/** The writes of an entry. */
export interface EntryWrites {
  readonly put: Listed<RecordPut>;
  readonly delete: Listed<RecordName>;
  readonly change?: Change;
  readonly useCases?: readonly UseCase[];
}

/** The last that an entry did to one record: `value` undefined where it removed it. */
export interface KeyWrite {
  readonly value: string | undefined;
}

/** The newest entry of a log. */
export interface LogHead {
  /** 0 for an empty log. */
  readonly revision: number;
  /** Its id; "" for an empty log. */
  readonly id: string;
  /** RFC 3339; "" for an empty log. */
  readonly at: string;
  /** Id of the log, which is that of its first entry; "" for an empty log. */
  readonly log: string;
}

/** A thing that entries are about. */
export interface Thing {
  readonly kind: "user" | "group" | "policy";
  readonly name: string;
}

/** A record with the revision that wrote it. */
export interface VersionedRecord {
  readonly partition: string;
  readonly key: string;
  readonly value: string;
  readonly version: number;
}

/** The log of a store as far back as it is kept (spec/journal §4). Entries themselves are listed by {@link Store.changes}. */
export interface History {
  /** The newest entry that this process has, of which its listeners have heard. */
  readonly head: LogHead;
  /** The oldest revision whose state can be read; all entries after it are kept. */
  keptFrom(): Promise<number>;
  /**
   * Returns the id of an entry that led to the newest state; "" for revision 0, undefined where it is not known: there is
   * no such entry, or it is too old.
   */
  idOf(revision: number): Promise<string | undefined>;
  /**
   * Returns the writes of an entry; undefined where there is none of that revision, or it is no longer kept.
   * @param id the entry's id; undefined, too, where the entry of that revision has another one
   */
  writes(revision: number, id?: string): Promise<EntryWrites | undefined>;
  /**
   * Returns what an entry wrote under one key, without decoding the rest of it; undefined where it wrote nothing there,
   * or {@link writes} has none.
   */
  writeOf(revision: number, name: RecordName): Promise<KeyWrite | undefined>;
  /** The record that a key had at a revision, without the rest of that state; throws as {@link snapshotAt}. */
  recordAt(revision: number, name: RecordName): Promise<StoredRecord | undefined>;
  /**
   * The state at a revision. Must be released.
   * @throws AuthorizerError "not_found" for a revision that is not kept any more, or does not exist yet
   */
  snapshotAt(revision: number): Promise<Snapshot>;
  /** Every record of the state at a revision, in the order of partitions and keys; throws as {@link snapshotAt}. */
  records(revision: number): AsyncIterable<readonly VersionedRecord[]>;
  /** Entries about a thing with revisions below `before`, newest first, at most `limit` of them. */
  about(thing: Thing, before: number, limit: number): Promise<readonly CommittedChange[]>;
  /** Removes the past: afterwards the newest state at the time of the call is the oldest that can be read. */
  forgetPast(): Promise<void>;
}

/** The description of what is staged, as of a commit. */
export type StageSubject = Pick<Commit, "change" | "touched" | "actor">;

/** A piece of what is staged. It should have a few thousand writes at most: others wait meanwhile. */
export type StagedPiece = Pick<Commit, "reads" | "put" | "delete">;

/**
 * Writes that are made in pieces and put in force together (spec/journal §2). Until {@link commit} makes all of them one
 * entry they are in no revision: readers, watches and replicas see none of them. What is neither put in force nor abandoned
 * ends with the process, and the next one sweeps what is left of it.
 */
export interface Stage {
  /** True once somebody else wrote what it read or staged: it can only be abandoned. */
  readonly isLost: boolean;
  /** The newest state with what is staged so far, for the next piece. Must be released. */
  snapshot(): Promise<Snapshot>;
  /**
   * Stages a piece; later pieces may write the same keys again.
   * Throws AuthorizerError: "conflict" when something in `reads` was written since (nothing of this piece is staged; it can
   * be made again unless {@link isLost}), otherwise as {@link Store.commit}.
   */
  add(piece: StagedPiece): Promise<void>;
  /**
   * Puts everything in force; resolves with the revision when that is durable. Throws AuthorizerError "conflict" when an
   * expectation fails or {@link isLost}, otherwise as {@link Store.commit}; nothing is in force then.
   */
  commit(conditions?: Pick<Commit, "expect" | "reads">): Promise<number>;
  /** Forgets what is staged. Harmless after {@link commit}. */
  abandon(): Promise<void>;
}

/** Called for each commit in order, before the writer hears of success. */
export type CommitListener = (change: CommittedChange) => void;

/** The store port. */
export interface Store {
  /**
   * Names the log of commits: the first 8 characters of its id; "" before the first commit. Revisions of another log
   * say nothing about this one.
   */
  readonly logId: string;
  /** Opens a view of one state. Throws AuthorizerError("unavailable") when the store cannot be read. */
  snapshot(): Promise<Snapshot>;
  /**
   * Applies a commit; resolves with its revision when it is durable (as durable as the backend is configured to be).
   * A commit without writes only checks, and resolves with a revision at which its conditions held. It is answered, also
   * with "conflict", from a state as after {@link prove}.
   * Throws AuthorizerError: "conflict" when an expectation fails or something in `reads` was written since (nothing
   * is written), "invalid_request" for a key over {@link MAX_KEY_BYTES}, an empty key, a key with NUL, or a key that
   * is both put and deleted; "unavailable" when the store cannot be written.
   * Deleting an absent key is no error.
   */
  commit(commit: Commit): Promise<number>;
  /**
   * Begins writes that are made in pieces. There is one stage at a time: this waits for the one before. Absent in a store
   * that makes a commit of any size at once.
   */
  stage?(subject: StageSubject): Promise<Stage>;
  /**
   * Entries after a revision, oldest first, at most `limit` of them; undefined if some of them are no longer kept,
   * so that whoever follows has to read everything anew.
   */
  changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined>;
  readonly history: History;
  /**
   * False while this process may not hear of what others commit: while a database that it shares cannot be reached.
   * Absent: always true.
   */
  tellsEveryChange?(): boolean;
  /**
   * False while processes of the version before may share the store, which take no position that names an entry for one.
   * Absent: always true.
   */
  namesEntries?(): boolean;
  /** Calls `listener` synchronously for each commit from now on; returns what unsubscribes it. */
  subscribe(listener: CommitListener): () => void;
  /**
   * Makes the other processes that share the store hold their commits back until the next commit of this one, for 5
   * seconds at most. For a use case that lost several races.
   */
  takeTurn?(): Promise<void>;
  /**
   * Tells listeners of what other processes of this node have committed. Cheap enough for the beginning of each
   * request. Present in workers.
   */
  follow?(): void;
  /** Frees what processes that ended held of the store. Present where there are workers. */
  clearReaders?(): void;
  /**
   * Takes a lease on work that one process does (spec/journal §5): returns what a commit under it expects, undefined while
   * another process has it. Absent in a store of one process.
   */
  lease?(name: string): Promise<Expectation | undefined>;
  /** Applies what other processes committed before the call. Absent in a store of one process. */
  catchUp?(): Promise<void>;
  /**
   * Resolves once this process has heard from the database, by a read that was sent after the call, that what it reads holds
   * every commit that was acknowledged before the call (spec/journal §2.8). Absent in a store of one process: that always does.
   * @param caller one caller may be half of those who wait
   * @throws AuthorizerError "unavailable" where the database does not say so within the time of a commit
   */
  prove?(caller?: string): Promise<void>;
  /**
   * Throws AuthorizerError "stale" if this process was without contact to the others for too long to answer
   * (spec/journal §3.5). Cheap enough for each request. Absent in a store of one process.
   */
  assertFresh?(): void;
  /** The state of this process's copy of what it shares with others. Absent in a store of one process. */
  copyState?(): CopyState;
  /** Says what is wrong with the database that processes share; undefined: nothing. Absent in a store of one process. */
  trouble?(): StoreTrouble | undefined;
  /**
   * Raises the format of a log that several processes share to the newest that this program knows, once all processes
   * know it. Others stop at that entry and are not ready. Resolves with both formats.
   */
  upgradeLog?(): Promise<{ readonly from: number; readonly to: number }>;
  /** Rejects with AuthorizerError("unavailable") when the store does not work. */
  health(): Promise<void>;
  /** Waits for what is under way and frees everything. Later calls throw. */
  close(): Promise<void>;
}

/** Runs `read` on a snapshot and releases it. */
export async function withSnapshot<T>(store: Store, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const snapshot = await store.snapshot();
  try {
    return await read(snapshot);
  } finally {
    snapshot.release();
  }
}

/** True for a commit that only checks. */
export function isCheck({ put = [], delete: deleted = [] }: Commit): boolean {
  return put.length + deleted.length === 0;
}

/** Names as an entry carries them; undefined for none. */
export function touchedOf(names: Required<Omit<Touched, "all">>): Touched | undefined {
  const { users, groups, policies, resources } = names;
  const count = users.length + groups.length + policies.length + resources.length;
  if (count === 0) return undefined;
  if (count > MAX_TOUCHED) return { all: true };
  return {
    ...(users.length > 0 && { users }),
    ...(groups.length > 0 && { groups }),
    ...(policies.length > 0 && { policies }),
    ...(resources.length > 0 && { resources }),
  };
}

/** Thrown for a record whose bytes are not those that were written. */
export class DamagedRecord extends AuthorizerError {
  readonly partition: string;
  readonly key: string;

  constructor(partition: string, key: string) {
    super(
      "internal",
      `A record of the store is damaged (${partition} ${JSON.stringify(key)}); check-store finds it.`,
    );
    this.partition = partition;
    this.key = key;
  }
}
