import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { createStoreCounters, observeStore } from "../../src/observe/metrics/store-metrics.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { type Snapshot, type Store, withSnapshot } from "../../src/store/port.ts";

/** A store of one record, whose commits end as told. */
function storeOf(commitError?: Error): Store & { released: number; closed: boolean } {
  const record = { value: "v", version: "1" };
  const store = {
    released: 0,
    closed: false,
    snapshot: async (): Promise<Snapshot> => ({
      revision: 7,
      get: async (_partition, key) => (key === "k" ? record : undefined),
      getMany: async (_partition, keys) => keys.map((key) => (key === "k" ? record : undefined)),
      scan: async (_partition, { prefix = "" }) => ("k".startsWith(prefix) ? [{ key: "k", ...record }] : []),
      release: () => {
        store.released++;
      },
    }),
    commit: async () => {
      if (commitError) throw commitError;
      return 8;
    },
    logId: "testlog1",
    changes: async () => [],
    history: openMemoryStore().history,
    subscribe: () => () => {},
    health: async () => {},
    close: async () => {
      store.closed = true;
    },
  };
  return store;
}

describe("an observed store", () => {
  it("answers as the store and counts each operation once", async () => {
    const [store, counters] = [storeOf(), createStoreCounters()];
    const observed = observeStore(store, counters);
    await withSnapshot(observed, async (snapshot) => {
      expect(snapshot.revision).toBe(7);
      expect(await snapshot.get("p", "k")).toEqual({ value: "v", version: "1" });
      expect(await snapshot.getMany("p", ["x", "k"])).toEqual([undefined, { value: "v", version: "1" }]);
      expect(await snapshot.scan("p", { limit: 1 })).toEqual([{ key: "k", value: "v", version: "1" }]);
    });
    expect(await observed.commit({})).toBe(8);
    await observed.health();
    await observed.close();
    expect([store.released, store.closed]).toEqual([1, true]);
    for (const { results, duration } of Object.values(counters)) {
      expect(results).toEqual({ ok: 1, conflict: 0, unavailable: 0, error: 0 });
      expect(duration.count).toBe(1);
    }
  });

  it.each([
    [new AuthorizerError("conflict", "x"), "conflict"],
    [new AuthorizerError("unavailable", "x"), "unavailable"],
    [new AuthorizerError("invalid_request", "x"), "error"],
    [new TypeError("x"), "error"],
  ] as const)("passes %s on and counts it as %s", async (error, result) => {
    const counters = createStoreCounters();
    await expect(observeStore(storeOf(error), counters).commit({})).rejects.toBe(error);
    expect(counters.commit.results).toEqual({ ok: 0, conflict: 0, unavailable: 0, error: 0, [result]: 1 });
  });
});
