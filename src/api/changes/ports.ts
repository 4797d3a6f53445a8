/** Ports of the API of changes; `compose` provides them from the log of the store. */

/** The names that an entry touched; `all`: more than could be named. */
export interface TouchedNames {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  /** Resource types by name, and registered resources as `<type>/<id>`. */
  readonly resources?: readonly string[];
  readonly all?: boolean;
}

/** The internal ids that an entry touched, for caches. */
interface TouchedIds {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  /** Resource types or registered resources. */
  readonly resources?: boolean;
  readonly all?: boolean;
}

/** An entry by its number and its id: the number alone may be given twice (spec/journal §6). */
export interface EntryName {
  /** 0: before the first entry. */
  readonly revision: number;
  /** "" before the first entry. */
  readonly id: string;
}

/** An entry of the log. */
export interface LoggedEntry extends EntryName {
  /** RFC 3339. */
  readonly at: string;
  readonly names: TouchedNames;
  readonly ids: TouchedIds;
}

/** A record as it is sent: partition, key and fields; without fields it is removed. */
export type SentRecord =
  | readonly [partition: string, key: string, fields: object]
  | readonly [partition: string, key: string];

/** Records that follow each other, read as they are asked for. */
interface SentPage {
  readonly records: Iterable<SentRecord>;
  /** The key of the last of them. */
  readonly last: string;
}

/** Port: the log of the directory. */
export interface ChangeLog {
  /** The first 8 characters of its id; "" while it has no entry. */
  readonly logId: string;
  /** The newest entry of which this process has heard. */
  readonly head: EntryName;
  /** True where every node of the log understands ids of events that name the entry. */
  readonly namesEntries: boolean;
  /** The id of an entry; "" for revision 0, undefined where it is not in the log, or too old. */
  idOf(revision: number): Promise<string | undefined>;
  /** Entries after a revision, oldest first, at most `limit`; undefined where some of them are no longer kept. */
  entries(after: number, limit: number): Promise<readonly LoggedEntry[] | undefined>;
  /** Calls the listener after each entry; returns what ends that. */
  onEntry(listener: () => void): () => void;
  /**
   * Milliseconds since this process knew that its newest revision is the newest there is; 0 where it alone writes.
   */
  staleness(): number;
  /** Throws AuthorizerError "stale" where nothing may be answered from the directory. */
  assertFresh(): void;
}

/** Items of the configuration on which decisions depend, as they are sent. */
export interface DecisionSettings {
  /** `authorizer.partition`. */
  readonly partition: string;
  /** `authorizer.request_properties`. */
  readonly request_properties: "fill" | "override";
  /** `authorizer.limits.policies_per_user`: a user with more is denied everything. */
  readonly policies_per_user: number;
}

/** Port: the records that decision points in other processes need (spec/journal §6.5), and no others. */
export interface ReplicaRecords {
  /** The partitions that are sent. */
  readonly partitions: readonly string[];
  /** Names what the newest state is kept in; another name: the state may have another past. */
  base(): Promise<string | undefined>;
  /** Some records of a partition behind a key, in order, from the newest state; undefined at the end. */
  page(partition: string, after: string | undefined): Promise<SentPage | undefined>;
  /** The operations that an entry writes; undefined where it is no longer kept, or not in the log. */
  writes(entry: EntryName): Promise<Iterable<SentRecord> | undefined>;
}
