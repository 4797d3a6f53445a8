/** The pages that the LMDB of `node_modules` writes are those that `lmdb-format` reads. */
import { closeSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertWholePages } from "../../src/store/local/lmdb-format/data-pages.ts";
import { newestState } from "../../src/store/local/lmdb-format/newest-state.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PARTITION = "p";
const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "node_modules", "lmdb", "package.json"), "utf8"),
) as { version: string };

/** Reads all pages of the newest state, and returns what its description says. */
function stateOf(folder: string) {
  const file = join(folder, "data.mdb");
  const handle = openSync(file, "r");
  try {
    const state = newestState(handle);
    assertWholePages(handle, statSync(file).size, state);
    return state;
  } finally {
    closeSync(handle);
  }
}

describe(`LMDB ${version}`, () => {
  it("writes pages that are found whole after any commits: small and large values, new and free pages", async () => {
    const write = fc.record({
      keys: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 }),
      bytes: fc.constantFrom(0, 10, 1_000, 3_000, 30_000),
      removes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (writes) => {
        const folder = temporaryFolder();
        const store = await openLocalStore({ path: folder, syncWrites: false });
        const before = stateOf(folder);
        for (const { keys, bytes, removes } of writes) {
          const names = [...new Set(keys)].map((key) => `k${key}`);
          const value = JSON.stringify({ text: "t".repeat(bytes) });
          await store.commit(
            removes
              ? { delete: names.map((key) => ({ partition: PARTITION, key })) }
              : { put: names.map((key) => ({ partition: PARTITION, key, value })) },
          );
          stateOf(folder);
        }
        await store.close();
        const after = stateOf(folder);
        expect(after.transaction - before.transaction).toBeGreaterThanOrEqual(BigInt(writes.length));
      }),
      { numRuns: 15 },
    );
  });

  it("writes files that are found cut where they were cut", async () => {
    const folder = temporaryFolder();
    const store = await openLocalStore({ path: folder, syncWrites: false });
    const value = JSON.stringify({ text: "t".repeat(3_000) });
    await store.commit({
      put: Array.from({ length: 50 }, (_, index) => ({ partition: PARTITION, key: `k${index}`, value })),
    });
    await store.close();
    const { pageSize, lastPage } = stateOf(folder);
    truncateSync(join(folder, "data.mdb"), (Number(lastPage) / 2) * pageSize);
    expect(() => stateOf(folder)).toThrow(/page \d+ is missing/);
    const refused = openLocalStore({ path: folder, syncWrites: false });
    await expect(refused).rejects.toThrow("was cut short");
  });
});

it("a store whose pages nobody checks opens all the same", async () => {
  const folder = temporaryFolder();
  for (const checksPages of [false, false, true]) {
    const store = await openLocalStore({ path: folder, syncWrites: false, checksPages });
    await store.commit({ put: [{ partition: PARTITION, key: "k", value: "{}" }] });
    await store.close();
  }
});
