import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { replacedSince } from "../../src/store/local/replaced-since.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { PastSnapshot, type Replaced, ReplacedRecords } from "../../src/store/past-snapshot.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const partition = fc.constantFrom("a", "b");
const key = fc.string({ unit: fc.constantFrom("a", "b", "é", "/"), minLength: 1, maxLength: 3 });
const before = fc.option(fc.record({ value: fc.string(), version: fc.constant("7") }), { nil: undefined });
const replaced: fc.Arbitrary<Replaced> = fc.record({ partition, key, before });
const scan = fc.record({
  partition,
  prefix: fc.oneof(fc.constant(""), key),
  after: fc.option(key, { nil: undefined }),
  limit: fc.integer({ min: 1, max: 4 }),
});

it("reads the same past from a file as from memory", async () => {
  const later = openMemoryStore();
  const beside = join(temporaryFolder(), "store");
  await later.commit({
    put: ["a", "ab", "é", "é/", "b"].map((key) => ({ partition: "a", key, value: `later ${key}` })),
  });
  const pieces = fc.array(fc.array(replaced, { maxLength: 10 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.array(scan, { minLength: 5 }), async (given, scans) => {
      const memory = new ReplacedRecords();
      for (const piece of given) for (const one of piece) memory.set(one);
      const [expected, found] = [
        new PastSnapshot(await later.snapshot(), 0, memory),
        new PastSnapshot(await later.snapshot(), 0, await replacedSince(given, beside, 0)),
      ];
      for (const { partition, ...options } of scans) {
        const { after, ...range } = options;
        const asked = { ...range, ...(after !== undefined && { after }) };
        expect(await found.scan(partition, asked)).toMatchObject(await expected.scan(partition, asked));
        if (after !== undefined)
          expect((await found.get(partition, after))?.value).toBe(
            (await expected.get(partition, after))?.value,
          );
      }
      for (const one of [expected, found]) one.release();
    }),
    { numRuns: 50 },
  );
  expect(readdirSync(dirname(beside))).toEqual([]);
  await later.close();
});
