/** Conditions of commits: records are as they were read. */

/** A condition of a commit, checked atomically with it. */
export interface Expectation {
  readonly partition: string;
  readonly key: string;
  /** The version the key must have, or undefined: it must be absent. */
  readonly version: string | undefined;
  /**
   * The base of the state in which that was so: where another one has taken its place, as after the database was put
   * back, the same version may be another write. Undefined: in whatever state the commit is made.
   */
  readonly base: string | undefined;
}

/** A state that was read. */
interface ReadState {
  /** Names it; absent where no other one can take its place. */
  readonly base?: string | undefined;
}

/**
 * Returns the expectation that a record is as it was read.
 * @param record undefined: it was absent
 */
export function expectAsRead(
  { base }: ReadState,
  { partition, key }: Pick<Expectation, "partition" | "key">,
  record: { readonly version: string } | undefined,
): Expectation {
  return { partition, key, version: record?.version, base };
}

/** Returns the expectation that there is no record of this name, whatever the state. */
export function expectAbsent({ partition, key }: Pick<Expectation, "partition" | "key">): Expectation {
  return { partition, key, version: undefined, base: undefined };
}

/** True where an expectation is of the state of this base. */
export function isOfState({ base }: Expectation, current: string | undefined): boolean {
  return base === undefined || current === undefined || base === current;
}
