/** Differences between two lists of columns or partitions. */

import type { Column, Partition } from "./metastore-model.ts";

/** A list compared with another one. */
interface Differences<T> {
  /** In the first list only. */
  readonly added: readonly T[];
  /** In the second list only. */
  readonly removed: readonly T[];
  /** In both, and not the same; as the first list has them. */
  readonly changed: readonly T[];
}

/** The name of a partition for people; another one may have the same. */
export function partitionName({ values }: Partition): string {
  return values.join("-");
}

/** Compares by name. */
function compareLists<T>(
  from: readonly T[],
  to: readonly T[],
  nameOf: (one: T) => string,
  same: (left: T, right: T) => boolean,
): Differences<T> {
  const theirs = new Map(to.map((one) => [nameOf(one), one]));
  const ours = new Set(from.map(nameOf));
  const changed = from.filter((one) => {
    const other = theirs.get(nameOf(one));
    return other !== undefined && !same(one, other);
  });
  return {
    added: from.filter((one) => !theirs.has(nameOf(one))),
    removed: to.filter((one) => !ours.has(nameOf(one))),
    changed,
  };
}

/** Compares columns: type and comment. */
export function compareColumns(from: readonly Column[], to: readonly Column[]): Differences<Column> {
  return compareLists(
    from,
    to,
    ({ name }) => name,
    (left, right) => left.type === right.type && left.comment === right.comment,
  );
}

/** Compares partitions: last access and number of columns, because locations differ between branches. */
export function comparePartitions(
  from: readonly Partition[],
  to: readonly Partition[],
): Differences<Partition> {
  const valuesOf = ({ values }: Partition): string => JSON.stringify(values);
  return compareLists(from, to, valuesOf, (left, right) => {
    const columns = left.storage.columns.length === right.storage.columns.length;
    return columns && left.lastAccessTime === right.lastAccessTime;
  });
}

/** One line for each difference, in the order of names: `+ added`, `- removed`, `~ changed`. */
export function differenceLines<T>(
  differences: Differences<T>,
  nameOf: (one: T) => string,
): readonly string[] {
  const marked = (mark: string, list: readonly T[]): readonly [string, string][] =>
    list.map((one) => [nameOf(one), mark]);
  const all = [
    ...marked("+", differences.added),
    ...marked("-", differences.removed),
    ...marked("~", differences.changed),
  ];
  return all.sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, mark]) => `${mark} ${name}`);
}
