/** Lists that are gone through without being held as a whole. */

/** Values in order, which may be gone through several times. */
export interface LongList<T> extends Iterable<T> {
  readonly length: number;
}

/** Values of several lists, one list after the other. */
export function joinedLists<T>(lists: readonly LongList<T>[]): LongList<T> {
  return {
    length: lists.reduce((sum, { length }) => sum + length, 0),
    *[Symbol.iterator]() {
      for (const list of lists) yield* list;
    },
  };
}
