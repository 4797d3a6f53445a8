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
export interface TouchedIds {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  /** Resource types or registered resources. */
  readonly resources?: boolean;
  readonly all?: boolean;
}

/** An entry of the log. */
export interface LoggedEntry {
  readonly revision: number;
  /** RFC 3339. */
  readonly at: string;
  readonly names: TouchedNames;
  readonly ids: TouchedIds;
}

/** A record as it is sent: partition, key and fields; without fields it is removed. */
export type SentRecord =
  | readonly [partition: string, key: string, fields: object]
  | readonly [partition: string, key: string];

/** Port: the log of the directory. */
export interface ChangeLog {
  /** The first 8 characters of its id. */
  readonly logId: string;
  /** The newest revision of which this process has heard. */
  readonly newest: number;
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

/** Port: the records that decision points in other processes need (journal.md §6.5), and no others. */
export interface ReplicaRecords {
  /** The partitions that are sent. */
  readonly partitions: readonly string[];
  /** Records of a partition behind a key, in order, from the newest state; empty at the end. */
  page(partition: string, after: string | undefined): Promise<readonly SentRecord[]>;
  /** The operations that an entry writes; undefined where it is no longer kept. */
  writes(revision: number): Promise<readonly SentRecord[] | undefined>;
}
