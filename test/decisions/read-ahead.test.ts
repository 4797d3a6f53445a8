import { afterEach, describe, expect, it, vi } from "vitest";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { CACHE, openWorld, type World } from "./world.ts";

const GROUPS = 100;
/** Groups that are read ahead by default, of the 64 lists that a directory remembers. */
const AHEAD = 48;
/** From so many on, the policies of a user are a long list. */
const MANY = 64;

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

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

describe("policies that are read ahead", () => {
  /** A directory in which somebody has many policies of their own, and others have some of these. */
  async function openPolicies(): Promise<World> {
    const world = await openGroups();
    const { users, policies } = world.directory;
    for (const username of ["many", "few"]) await users.create({ username });
    for (let index = 0; index < MANY; index++) await users.attachPolicy("many", `policy-${index}`);
    await policies.create({
      name: "deny",
      statement: [{ effect: "deny", action: ["fs:Action0"], resource: "*" }],
    });
    await users.attachPolicy("few", "policy-0");
    await users.attachPolicy("few", "policy-1");
    return world;
  }

  it("are not read for the first question about a user who has them", async () => {
    const world = await openPolicies();
    expect(await readsOf(world, () => world.allows("few", "fs:Action0"))).toEqual([1, 2]);
    const ahead = await openPolicies();
    await ahead.decisions.readAhead();
    expect(await readsOf(ahead, () => ahead.allows("few", "fs:Action0"))).toEqual([0, 2]);
  });

  it("are read with those who have many of their own", async () => {
    const world = await openPolicies();
    await world.decisions.readAhead();
    // The memberships.
    expect(await readsOf(world, () => world.allows("many", "fs:Action0"))).toEqual([0, 1]);
  });

  it("decide as they are when the question is asked", async () => {
    const world = await openPolicies();
    await world.decisions.readAhead();
    const { users, policies } = world.directory;
    const statement = (effect: "allow" | "deny", action: string) => [
      { effect, action: [action], resource: "*" },
    ];
    await users.attachPolicy("many", "deny");
    await policies.update({ name: "policy-1", statement: statement("deny", "fs:Action1") });
    await policies.delete("policy-2");
    await policies.create({ name: "policy-2", statement: statement("allow", "fs:Action2") });
    await users.detachPolicy("many", "policy-3");
    const allowed = (user: string) =>
      Promise.all([0, 1, 2, 3, 4].map((action) => world.allows(user, `fs:Action${action}`)));
    expect(await allowed("many")).toEqual([false, false, false, false, true]);
    expect(await allowed("few")).toEqual([true, false, false, false, false]);
  });
});

describe("groups that are read ahead", () => {
  it("are not read for the first question about a member", async () => {
    const world = await openGroups();
    const [read, scanned] = await readsOf(world, () => world.allows("alice", "fs:Action0"));
    expect(read).toBeGreaterThan(0);
    const ahead = await openGroups();
    await ahead.decisions.readAhead();
    // The memberships, and the user's own policies.
    expect(await readsOf(ahead, () => ahead.allows("alice", "fs:Action0"))).toEqual([0, 2]);
    expect(scanned).toBeGreaterThan(2);
  });

  it("decide as they are when the question is asked", async () => {
    const world = await openGroups();
    await world.decisions.readAhead();
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
    await world.decisions.readAhead();
    expect(world.decisions.counters.compiledSets()).toBe(AHEAD);
  });

  it("are none without a cache", async () => {
    const world = await openGroups({ ...CACHE, enabled: false });
    await world.decisions.readAhead();
    expect(world.decisions.counters.compiledSets()).toBe(0);
  });

  it("are no longer read once the decisions are closed", async () => {
    const world = await openGroups();
    const reading = world.decisions.readAhead();
    await world.decisions.close();
    await reading;
    expect(world.decisions.counters.compiledSets()).toBe(0);
  });

  it("fail to be read where the directory cannot be read, and are read when they are needed", async () => {
    const store = openMemoryStore();
    const world = await openWorld({}, store);
    worlds.push(world);
    await world.directory.users.create({ username: "alice" });
    await world.grant("all", "fs:*");
    await world.directory.users.attachPolicy("alice", "all");
    vi.spyOn(store, "snapshot").mockRejectedValueOnce(new Error("no disk"));
    await expect(world.decisions.readAhead()).rejects.toThrow("no disk");
    expect(await world.allows("alice")).toBe(true);
  });
});
