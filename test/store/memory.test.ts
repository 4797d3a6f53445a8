import { expect, it } from "vitest";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { describeStoreContract } from "../contract/store-contract.ts";

describeStoreContract("memory", async () => {
  const store = openMemoryStore();
  return { store, close: () => store.close() };
});

const put = (key: string, value: string) => ({ put: [{ partition: "p", key, value }] });

it("restores a captured state any number of times, and leaves open snapshots alone", async () => {
  const store = openMemoryStore();
  await store.commit(put("a", "captured"));
  const image = store.capture();
  for (let round = 0; round < 3; round++) {
    await store.commit(put("a", `changed ${round}`));
    await store.commit(put("b", "new"));
    const open = await store.snapshot();
    store.restore(image);
    expect((await open.get("p", "a"))?.value).toBe(`changed ${round}`);
    const all = await withSnapshot(store, (snapshot) => snapshot.scan("p", { limit: 9 }));
    expect(all.map(({ key, value }) => [key, value])).toEqual([["a", "captured"]]);
  }
});

it("never repeats a version for a key after a restore", async () => {
  const store = openMemoryStore();
  const image = store.capture();
  const versions = new Set<string | undefined>();
  for (let round = 0; round < 5; round++) {
    await store.commit(put("a", "same"));
    versions.add(await withSnapshot(store, async (snapshot) => (await snapshot.get("p", "a"))?.version));
    store.restore(image);
  }
  expect(versions.size).toBe(5);
});

it("captures and restores 100,000 records in constant time", async () => {
  const store = openMemoryStore();
  for (let at = 0; at < 100_000; at += 100) {
    await store.commit({
      put: Array.from({ length: 100 }, (_, index) => ({ partition: "p", key: `k${at + index}`, value: "x" })),
    });
  }
  // The quickest of a few: other processes may hold the processor now and then.
  const times = Array.from({ length: 10 }, () => {
    const started = performance.now();
    for (let round = 0; round < 100; round++) store.restore(store.capture());
    return performance.now() - started;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});
