/** Commits as a data server lists them in a log. */

/** A commit. */
export interface LoggedCommit {
  readonly id: string;
  readonly committer: string;
  readonly message: string;
  /** "" for a commit without data. */
  readonly metaRangeId: string;
  /** Unix seconds. */
  readonly creationDate: number;
  readonly parents: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Length of the longest way to a commit without parents, as its server counts it. */
  readonly generation: number;
  readonly version: number;
}
