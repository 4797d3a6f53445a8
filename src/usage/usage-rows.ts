/** The counts of use as rows (spec/decision-log §5.1). */

/**
 * `user`: name and internal id. `key`: access key id. `group`: name. `statement`: policy, digest of the statement, and
 * action; "" for further actions. `served`: name and internal id of a user whose policies a data server was given.
 */
export type UsageKind = "user" | "key" | "group" | "statement" | "served";

/** Names a thing whose use is counted. */
interface UsageName {
  readonly kind: UsageKind;
  readonly name: string;
  /** Distinguishes things of one name; "" where nothing has to. */
  readonly part: string;
  readonly action: string;
}

/** A count, and the time of the last use. */
export interface UsageRow extends UsageName {
  readonly count: number;
  /** Unix milliseconds. */
  readonly last: number;
}

/** A count that goes on. */
interface Count {
  count: number;
  /** Time of the last use in ticks: a small integer, which needs no object. */
  last: number;
}

/** A count of a thing. */
export interface NamedCount extends UsageName, Count {}

/** The use of one thing, summed over all nodes. */
export interface Used {
  readonly count: number;
  /** Unix milliseconds. */
  readonly last: number;
}
