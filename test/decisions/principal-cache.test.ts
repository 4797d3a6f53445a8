import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { describe, expect, it } from "vitest";
import { CachedPrincipal } from "../../src/decisions/cached-principal.ts";
import { PrincipalCache } from "../../src/decisions/principal-cache.ts";

const policies = compile([], { partition: "svc", evaluator: "extended" });
const found = (id: string, version: string): CachedPrincipal => {
  const stored = { id: "policy", version, name: "p", creation_date: 0, statement: [] };
  const principal = {
    id,
    username: "alice",
    properties: {},
    isInactive: false,
    isOfService: false,
    groups: ["group"],
    held: [{ holder: "group", via: { group: "Group" }, policies: [stored] }],
    policies: [{ ...stored, via: [{ group: "Group" }] }],
  };
  return new CachedPrincipal(principal, policies);
};

/** A cache whose loads end when the test says so. */
function slowCache(settings = {}, isToldEverything = () => true) {
  const loads: ((loaded: CachedPrincipal | undefined | Error) => void)[] = [];
  const counters = { cacheHits: 0, cacheMisses: 0, cacheEvictions: 0 };
  const cache = new PrincipalCache({
    settings: { enabled: true, size: 10, ttl: 10_000, jitter: 0, ...settings },
    counters,
    isToldEverything,
    load: () =>
      new Promise((resolve, reject) =>
        loads.push((loaded) => (loaded instanceof Error ? reject(loaded) : resolve(loaded))),
      ),
  });
  return { cache, loads };
}

describe("a load that a write overtakes", () => {
  it.each([
    ["the user", { users: ["alice-id"] }],
    ["a group of the user", { groups: ["group"] }],
    ["a policy of the user", { policies: ["policy"] }],
    ["anything", { all: true }],
  ])("is not kept when the write touched %s", async (_, change) => {
    const { cache, loads } = slowCache();
    const load = cache.load("alice");
    cache.evict(change);
    loads[0]?.(found("alice-id", "old"));
    expect((await load)?.principal.policies[0]?.version).toBe("old");
    expect(cache.peek("alice")).toBeUndefined();
  });

  it("is kept when the write touched somebody else", async () => {
    const { cache, loads } = slowCache();
    const load = cache.load("alice");
    cache.evict({ users: ["bob-id"], policies: ["other"] });
    loads[0]?.(found("alice-id", "1"));
    await load;
    expect(cache.peek("alice")?.principal.id).toBe("alice-id");
  });

  it("is not kept when too many writes came to remember them all", async () => {
    const { cache, loads } = slowCache();
    const load = cache.load("alice");
    for (let index = 0; index < 3000; index++) cache.evict({ users: [`user-${index}`] });
    loads[0]?.(found("alice-id", "1"));
    await load;
    expect(cache.peek("alice")).toBeUndefined();
  });

  it("is not shared with who asks after the write", async () => {
    const { cache, loads } = slowCache();
    const before = cache.load("alice");
    const together = cache.load("alice");
    expect(loads).toHaveLength(1);
    cache.evict({ policies: ["policy"] });
    const after = cache.load("alice");
    expect(loads).toHaveLength(2);
    loads[1]?.(found("alice-id", "new"));
    loads[0]?.(found("alice-id", "old"));
    const versions = (await Promise.all([before, together, after])).map(
      (one) => one?.principal.policies[0]?.version,
    );
    expect(versions).toEqual(["old", "old", "new"]);
    expect(cache.peek("alice")?.principal.policies[0]?.version).toBe("new");
  });

  it("is tried again after it failed", async () => {
    const { cache, loads } = slowCache();
    const failed = cache.load("alice");
    loads[0]?.(new Error("the store is away"));
    await expect(failed).rejects.toThrow("the store is away");
    const again = cache.load("alice");
    loads[1]?.(found("alice-id", "1"));
    expect((await again)?.principal.id).toBe("alice-id");
  });
});

describe("a user whose time is over", () => {
  async function expired(isToldEverything: () => boolean) {
    const { cache, loads } = slowCache({ ttl: 0 }, isToldEverything);
    const load = cache.load("alice");
    loads[0]?.(found("alice-id", "1"));
    const kept = await load;
    await new Promise((resolve) => setTimeout(resolve, 3));
    return { cache, kept };
  }

  it("is renewed without a load where every change is told and none touched it", async () => {
    const { cache, kept } = await expired(() => true);
    cache.evict({ users: ["bob-id"], groups: ["other"], policies: ["other"] });
    expect(cache.peek("alice")).toBe(kept);
  });

  it("is loaded again where changes may go untold", async () => {
    const { cache } = await expired(() => false);
    expect(cache.peek("alice")).toBeUndefined();
  });

  it.each([
    ["the user", { users: ["alice-id"] }],
    ["a group of the user", { groups: ["group"] }],
    ["a policy of a group of the user", { policies: ["policy"] }],
    ["anything", { all: true }],
  ])("is not renewed after a write touched %s", async (_, change) => {
    const { cache } = await expired(() => true);
    cache.evict(change);
    expect(cache.peek("alice")).toBeUndefined();
  });
});
