import { describe, expect, it } from "vitest";
import { DependentCache, type DependentCacheOptions } from "../../src/cache/dependent-cache.ts";

interface Value {
  readonly owner: string;
}

function open(options: Partial<DependentCacheOptions<Value>> = {}) {
  let time = 0;
  const cache = new DependentCache<Value>({
    settings: { enabled: true, size: 100, ttl: 1_000, jitter: 0 },
    filedUnder: ({ owner }) => [owner],
    now: () => time,
    ...options,
  });
  return {
    cache,
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

const alice = async () => ({ owner: "alice" });
const nothing = async () => undefined;

describe("a key for which nothing is found", () => {
  it("is remembered until anything changes", async () => {
    const { cache } = open({ mostAbsent: 2 });
    await cache.load("k", nothing);
    expect(cache.isKnownAbsent("k")).toBe(true);
    cache.evict({ ids: ["bob"], all: false });
    expect(cache.isKnownAbsent("k")).toBe(false);
  });

  it("is remembered for the time to live", async () => {
    const { cache, wait } = open({ mostAbsent: 2 });
    await cache.load("k", nothing);
    wait(999);
    expect(cache.isKnownAbsent("k")).toBe(true);
    wait(1);
    expect(cache.isKnownAbsent("k")).toBe(false);
  });

  it("is not remembered after a change during the load, without the option, or in a cache that is off", async () => {
    const { cache } = open({ mostAbsent: 2 });
    const load = cache.load("k", nothing);
    cache.evict({ ids: ["bob"], all: false });
    await load;
    expect(cache.isKnownAbsent("k")).toBe(false);
    const plain = open();
    await plain.cache.load("k", nothing);
    expect(plain.cache.isKnownAbsent("k")).toBe(false);
    const off = open({ mostAbsent: 2, settings: { enabled: false, size: 100, ttl: 1_000, jitter: 0 } });
    await off.cache.load("k", nothing);
    expect(off.cache.isKnownAbsent("k")).toBe(false);
  });

  it("takes the place of the oldest such key, never of a value", async () => {
    const { cache } = open({ mostAbsent: 2 });
    await cache.load("a", alice);
    for (const key of ["k", "l", "m"]) await cache.load(key, nothing);
    expect(["k", "l", "m"].map((key) => cache.isKnownAbsent(key))).toEqual([false, true, true]);
    expect(cache.get("a")).toEqual({ owner: "alice" });
  });
});

describe("a value", () => {
  it("whose load was overtaken is kept only if the change did not touch it", async () => {
    for (const [touched, kept] of [
      ["bob", { owner: "alice" }],
      ["alice", undefined],
    ] as const) {
      const { cache } = open();
      const load = cache.load("a", alice);
      cache.evict({ ids: [touched], all: false });
      await load;
      expect(cache.get("a")).toEqual(kept);
    }
  });

  it("leaves memory when its time is over, if asked for", async () => {
    const settings = { enabled: true, size: 1, ttl: 20, jitter: 0 };
    const { cache: drops } = open({ settings, dropsExpired: true });
    const { cache: keeps } = open({ settings });
    await Promise.all([drops.load("a", alice), keeps.load("a", alice)]);
    await expect.poll(() => drops.size).toBe(0);
    expect(keeps.size).toBe(1);
  });
});
