/** Whether a read-set has a key that was written, beside a naive answer over all pairs (spec/journal §2.2). */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RecordName, ScannedRange } from "../../src/store/port.ts";
import { WrittenKeys } from "../../src/store/written-keys.ts";
import { sized } from "../proofs/size.ts";

const partition = fc.constantFrom("user", "group", "policy");
/** Few enough to meet often; the last two sort one way by UTF-8 and the other way by UTF-16. */
const key = fc.constantFrom("a", "ab", "abc", "b", "ba", "c", "\u{1f600}", "\uffee");
const names = fc.array(fc.record({ partition, key }), { maxLength: 6 });
const bound = fc.option(key, { nil: undefined });
const range: fc.Arbitrary<ScannedRange> = fc.record({
  partition,
  prefix: fc.constantFrom("", "a", "ab", "b"),
  after: bound,
  upTo: bound,
});

function isScanned({ partition: of, prefix, after, upTo }: ScannedRange, name: RecordName): boolean {
  if (name.partition !== of || !name.key.startsWith(prefix)) return false;
  if (after !== undefined && compareUtf8(name.key, after) <= 0) return false;
  return upTo === undefined || compareUtf8(name.key, upTo) <= 0;
}

function readSet(read: readonly RecordName[], ranges: readonly ScannedRange[]) {
  const byPartition = Map.groupBy(read, (name) => name.partition);
  const keys = new Map(
    [...byPartition].map(([of, found]) => [of, new Set(found.map((name) => name.key))] as const),
  );
  return { revision: 0, keys, ranges };
}

it("a read-set is touched where a key of it, or one within a range of it, was written", () => {
  fc.assert(
    fc.property(names, names, fc.array(range, { maxLength: 2 }), (written, read, ranges) => {
      const keys = new WrittenKeys();
      keys.add(written);
      const expected = written.some(
        (one) =>
          read.some((other) => other.partition === one.partition && other.key === one.key) ||
          ranges.some((scanned) => isScanned(scanned, one)),
      );
      expect(keys.touches(readSet(read, ranges))).toBe(expected);
      for (const name of read) {
        expect(keys.has(name)).toBe(
          written.some((one) => one.partition === name.partition && one.key === name.key),
        );
      }
      expect(keys.size).toBe(new Set(written.map((one) => `${one.partition} ${one.key}`)).size);
    }),
    { numRuns: sized(200, 2_000) },
  );
});
