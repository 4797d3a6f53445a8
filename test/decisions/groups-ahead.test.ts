import { afterEach, describe, expect, it, vi } from "vitest";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { CACHE, openWorld, type World } from "./world.ts";

const GROUPS = 100;
/** Groups that a directory remembers by default, though nobody in memory is in them. */
const REMEMBERED = 64;
const TOGETHER = 20;

const worlds: World[] = [];

/** A directory in which everybody is in the first groups, each of which allows something. */
async function openGroups(cache = CACHE): Promise<World> {
  const world = await openWorld({ cache });
  worlds.push(world);
  const { users, groups } = world.directory;
  for (let index = 0; index < GROUPS; index++) {
    await groups.create({ name: `group-${index}` });
    await world.grant(`policy-${index}`, `fs:Action${index}`);
    await groups.attachPolicy(`group-${index}`, `policy-${index}`);
  }
  for (const name of ["alice", "bob"]) {
    await users.create({ username: name });
    for (const index of [0, 1, 10, 11, 12, 13]) await groups.addMember(`group-${index}`, name);
  }
  return world;
}

/** Reads of several records at once and scans that a question needs. */
async function readsOf(world: World, question: () => Promise<unknown>): Promise<readonly number[]> {
  const { getMany, scan } = world.store;
  const before = [getMany.results.ok, scan.results.ok];
  await question();
  return [getMany.results.ok - before[0]!, scan.results.ok - before[1]!];
}

describe("groups that are read ahead", () => {
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  it("are not read for the first question about a member", async () => {
    const world = await openGroups();
    const [read, scanned] = await readsOf(world, () => world.allows("alice", "fs:Action0"));
    expect(read).toBeGreaterThan(0);
    const ahead = await openGroups();
    await ahead.decisions.readGroupsAhead();
    // The memberships, and the user's own policies.
    expect(await readsOf(ahead, () => ahead.allows("alice", "fs:Action0"))).toEqual([0, 2]);
    expect(scanned).toBeGreaterThan(2);
  });

  it("decide as they are when the question is asked", async () => {
    const world = await openGroups();
    await world.decisions.readGroupsAhead();
    const { groups, policies } = world.directory;
    await groups.detachPolicy("group-0", "policy-0");
    await groups.attachPolicy("group-0", "policy-20");
    await groups.delete("group-1");
    await groups.create({ name: "group-1" });
    await groups.attachPolicy("group-1", "policy-1");
    await policies.delete("policy-10");
    await groups.removeMember("group-11", "alice");
    const allowed = await Promise.all(
      [0, 20, 1, 10, 11, 12].map((action) => world.allows("alice", `fs:Action${action}`)),
    );
    expect(allowed).toEqual([false, true, false, false, false, true]);
    expect(await world.allows("bob", "fs:Action11")).toBe(true);
  });

  it("are as many as are remembered", async () => {
    const world = await openGroups();
    await world.decisions.readGroupsAhead();
    const compiled = world.decisions.counters.compiledSets();
    expect(compiled).toBeGreaterThanOrEqual(REMEMBERED);
    expect(compiled).toBeLessThan(REMEMBERED + TOGETHER);
  });

  it("are none without a cache", async () => {
    const world = await openGroups({ ...CACHE, enabled: false });
    await world.decisions.readGroupsAhead();
    expect(world.decisions.counters.compiledSets()).toBe(0);
  });

  it("are no longer read once the decisions are closed", async () => {
    const world = await openGroups();
    const reading = world.decisions.readGroupsAhead();
    await world.decisions.close();
    await reading;
    expect(world.decisions.counters.compiledSets()).toBeLessThan(TOGETHER);
  });

  it("fail to be read where the directory cannot be read, and are read when they are needed", async () => {
    const store = openMemoryStore();
    const world = await openWorld({}, store);
    worlds.push(world);
    await world.directory.users.create({ username: "alice" });
    await world.grant("all", "fs:*");
    await world.directory.users.attachPolicy("alice", "all");
    vi.spyOn(store, "snapshot").mockRejectedValueOnce(new Error("no disk"));
    await expect(world.decisions.readGroupsAhead()).rejects.toThrow("no disk");
    expect(await world.allows("alice")).toBe(true);
  });
});
