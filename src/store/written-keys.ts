/** The keys that commits wrote, and whether something that was read is among them (spec/journal §2.2). */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { ReadSet, RecordName, ScannedRange } from "./port.ts";

/** A set of keys. */
export class WrittenKeys {
  readonly #byPartition = new Map<string, Set<string>>();
  #size = 0;

  /** Number of keys. */
  get size(): number {
    return this.#size;
  }

  /** Adds keys. */
  add(names: Iterable<RecordName>): void {
    for (const { partition, key } of names) {
      let keys = this.#byPartition.get(partition);
      if (keys === undefined) {
        keys = new Set();
        this.#byPartition.set(partition, keys);
      }
      const before = keys.size;
      keys.add(key);
      this.#size += keys.size - before;
    }
  }

  /** True when a key is in the set. */
  has({ partition, key }: RecordName): boolean {
    return this.#byPartition.get(partition)?.has(key) === true;
  }

  /** True when one of the keys is in a read-set. */
  touches({ keys: read, ranges }: ReadSet): boolean {
    for (const [partition, written] of this.#byPartition) {
      const keys = read.get(partition);
      if (keys !== undefined && haveCommon(keys, written)) return true;
    }
    return ranges.some((range) => {
      for (const key of this.#byPartition.get(range.partition) ?? []) if (isInRange(range, key)) return true;
      return false;
    });
  }
}

/** Looks from both sides at once: either may have a few keys, and the other one a hundred thousand. */
function haveCommon(
  read: { has(key: string): boolean; keys(): Iterable<string> },
  written: ReadonlySet<string>,
): boolean {
  const rest = written.values();
  for (const key of read.keys()) {
    if (written.has(key)) return true;
    const next = rest.next();
    if (next.done === true) return false;
    if (read.has(next.value)) return true;
  }
  return false;
}

/** True for a key of the partition of a range that is within it. */
export function isInRange({ prefix, after, upTo }: ScannedRange, key: string): boolean {
  return (
    key.startsWith(prefix) &&
    (after === undefined || compareUtf8(key, after) > 0) &&
    (upTo === undefined || compareUtf8(key, upTo) <= 0)
  );
}
