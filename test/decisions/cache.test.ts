import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import type { Store } from "../../src/store/port.ts";
import { CACHE, openWorld, type World } from "./world.ts";

let world: World;
afterEach(() => world.close());

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A store on the disk: its writes take time, in which others read. */
function localStore(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "cache-test-"));
  folders.push(folder);
  return openLocalStore({ path: folder, syncWrites: true });
}

async function withUsers(
  count: number,
  options: Parameters<typeof openWorld>[0] = {},
  store?: Store,
  asSeen?: (directory: World["directory"]) => World["directory"],
): Promise<string[]> {
  world = await openWorld(options, store, "strict", asSeen);
  const names = Array.from({ length: count }, (_, index) => `user-${index}`);
  await Promise.all(names.map((username) => world.directory.users.create({ username })));
  await world.grant("Read", "fs:ReadObject");
  return names;
}

describe("the cache of decisions", () => {
  it("answers the second question about a user at once, without the store", async () => {
    await withUsers(1);
    await world.directory.users.attachPolicy("user-0", "Read");
    expect(await world.allows("user-0")).toBe(true);
    const reads = world.store.snapshot.results.ok;
    const answer = world.decisions.check({
      user: "user-0",
      required: { action: "fs:ReadObject", resource: "*" },
      context: new Map(),
      explain: false,
      entrance: "check",
      requestId: "",
    });
    expect(answer).not.toBeInstanceOf(Promise);
    expect(answer).toEqual({ effect: "allow" });
    expect(world.store.snapshot.results.ok).toBe(reads);
    expect(world.decisions.counters).toMatchObject({ cacheHits: 1, cacheMisses: 1 });
  });

  it("shares one load between questions that come together", async () => {
    await withUsers(1);
    const reads = world.store.snapshot.results.ok;
    await Promise.all(Array.from({ length: 100 }, () => world.allows("user-0")));
    expect(world.store.snapshot.results.ok).toBe(reads + 1);
  });

  it("compiles once what many users share", async () => {
    const names = await withUsers(50);
    await world.directory.groups.create({ name: "Readers" });
    await world.directory.groups.attachPolicy("Readers", "Read");
    await Promise.all(names.map((name) => world.directory.groups.addMember("Readers", name)));
    for (const name of names) expect(await world.allows(name)).toBe(true);
    expect(world.decisions.counters.cacheSize()).toBe(50);
    expect(world.decisions.counters.compiledSets()).toBe(1);
  });

  it("evicts exactly the users that a write touches", async () => {
    const names = await withUsers(10);
    const { users, groups, policies } = world.directory;
    await world.grant("Other", "fs:WriteObject");
    await groups.create({ name: "G" });
    await groups.attachPolicy("G", "Read");
    await groups.addMember("G", "user-0");
    await groups.addMember("G", "user-1");
    await users.attachPolicy("user-2", "Read");
    await users.attachPolicy("user-3", "Other");
    for (const name of names) await world.allows(name);
    const { counters } = world.decisions;
    const evictedBy = async (write: Promise<unknown>): Promise<number> => {
      const before = counters.cacheEvictions;
      await write;
      const evicted = counters.cacheEvictions - before;
      for (const name of names) await world.allows(name).catch(() => false);
      return evicted;
    };
    const statement = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
    expect(await evictedBy(policies.update({ name: "Read", statement }))).toBe(3);
    expect(await evictedBy(groups.removeMember("G", "user-1"))).toBe(1);
    expect(await evictedBy(groups.attachPolicy("G", "Other"))).toBe(1);
    expect(await evictedBy(users.create({ username: "new" }))).toBe(0);
    expect(await evictedBy(groups.delete("G"))).toBe(1);
    expect(await evictedBy(users.delete("user-9"))).toBe(1);
    expect(await evictedBy(policies.delete("Other"))).toBe(1);
  });

  it("forgets a user who was deleted and created again", async () => {
    await withUsers(1);
    const { users } = world.directory;
    await users.attachPolicy("user-0", "Read");
    expect(await world.allows("user-0")).toBe(true);
    await users.delete("user-0");
    await users.create({ username: "user-0" });
    expect(await world.allows("user-0")).toBe(false);
  });

  it("renews an entry whose time is over without reading, and still sees every write", async () => {
    await withUsers(1, { cache: { ...CACHE, ttl: 0, jitter: 0 } });
    const { users, groups } = world.directory;
    await groups.create({ name: "G" });
    await groups.addMember("G", "user-0");
    expect(await world.allows("user-0")).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 3));
    const reads = world.store.snapshot.results.ok;
    expect(await world.allows("user-0")).toBe(false);
    expect(world.store.snapshot.results.ok).toBe(reads);
    expect(world.decisions.counters.compiledSets()).toBe(1);
    await groups.attachPolicy("G", "Read");
    expect(await world.allows("user-0")).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 3));
    await world.directory.policies.delete("Read");
    expect(await world.allows("user-0")).toBe(false);
    await users.delete("user-0");
    expect(await world.allows("user-0")).toBe(false);
  });

  it("reads again when the time of an entry is over and not every change is told", async () => {
    const told = (directory: World["directory"]) => ({ ...directory, tellsEveryChange: () => false });
    await withUsers(1, { cache: { ...CACHE, ttl: 0, jitter: 0 } }, undefined, told);
    await world.allows("user-0");
    await new Promise((resolve) => setTimeout(resolve, 3));
    const reads = world.store.snapshot.results.ok;
    await world.allows("user-0");
    expect(world.store.snapshot.results.ok).toBe(reads + 1);
    expect(world.decisions.counters.compiledSets()).toBe(1);
  });

  it("keeps nothing when it is off, and no more than its size", async () => {
    const names = await withUsers(10, { cache: { ...CACHE, enabled: false } });
    for (const name of names) await world.allows(name);
    expect(world.decisions.counters.cacheSize()).toBe(0);
    await world.close();
    const others = await withUsers(10, { cache: { ...CACHE, size: 4 } });
    for (const name of others) await world.allows(name);
    expect(world.decisions.counters.cacheSize()).toBe(4);
  });

  it("does not remember that a user was unknown", async () => {
    await withUsers(0);
    expect(await world.allows("late")).toBe(false);
    await world.directory.users.create({ username: "late" });
    await world.directory.users.attachPolicy("late", "Read");
    expect(await world.allows("late")).toBe(true);
  });

  it("shows a revoked policy no more, and a granted one at once, while writers and readers race", async () => {
    const names = await withUsers(8, {}, await localStore());
    const { users, groups } = world.directory;
    await groups.create({ name: "G" });
    await groups.attachPolicy("G", "Read");
    let done = false;
    const readers = names.map(async (name) => {
      while (!done) {
        await world.allows(name);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const writers = names.map(async (name, index) => {
      for (let round = 0; round < 150; round++) {
        const direct = (index + round) % 2 === 0;
        await (direct ? users.attachPolicy(name, "Read") : groups.addMember("G", name));
        expect(await world.allows(name), `${name} granted`).toBe(true);
        await (direct ? users.detachPolicy(name, "Read") : groups.removeMember("G", name));
        expect(await world.allows(name), `${name} revoked`).toBe(false);
      }
    });
    try {
      await Promise.all(writers);
    } finally {
      done = true;
      await Promise.all(readers);
    }
    expect(world.decisions.counters.cacheHits).toBeGreaterThan(100);
  });

  it("never shows a moment without a deny that moves from a user to a group", async () => {
    await withUsers(1, {}, await localStore());
    const { users, groups, policies } = world.directory;
    await users.attachPolicy("user-0", "Read");
    await policies.create({ name: "No", statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }] });
    await groups.create({ name: "G" });
    await groups.addMember("G", "user-0");
    await users.attachPolicy("user-0", "No");
    let done = false;
    const seen: boolean[] = [];
    const reader = (async () => {
      while (!done) {
        seen.push(await world.allows("user-0"));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 100; round++) {
      await groups.attachPolicy("G", "No");
      await users.detachPolicy("user-0", "No");
      await users.attachPolicy("user-0", "No");
      await groups.detachPolicy("G", "No");
    }
    done = true;
    await reader;
    expect(seen.length).toBeGreaterThan(50);
    expect(seen).not.toContain(true);
  });
});
