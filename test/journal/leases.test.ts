import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { Leases } from "../../src/store/leases.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { openNode, sharedBy } from "./bed.ts";

describe("a lease", () => {
  let engine: MemoryEngine;
  let one: JournalStore;
  let other: JournalStore;
  beforeEach(async () => {
    engine = new MemoryEngine();
    one = await openNode(sharedBy(engine));
    other = await openNode(sharedBy(engine));
  });
  afterEach(async () => {
    await one.close();
    await other.close();
  });

  /** Two processes with clocks that the test moves. */
  const processes = () => {
    const clock = { now: 0 };
    const now = () => clock.now;
    return { clock, first: new Leases(one, now), second: new Leases(other, now) };
  };
  const stored = async () => {
    await other.catchUp();
    const record = await withSnapshot(other, (snapshot) => snapshot.get("lease", "work"));
    return record && (JSON.parse(record.value) as { holder: string; term: number });
  };

  it("is held by one process, who ever asks", async () => {
    const { first, second } = processes();
    const held = await first.hold("work");
    expect(held).toMatchObject({ partition: "lease", key: "work" });
    await other.catchUp();
    expect(await second.hold("work")).toBeUndefined();
    expect(await first.hold("work")).toEqual(held);
    expect(await second.hold("another")).toBeDefined();
  });

  it("is taken by one of two who ask at once", async () => {
    const { first, second } = processes();
    const held = await Promise.all([first.hold("work"), second.hold("work")]);
    expect(held.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it("is written only when there is work, and again while that goes on", async () => {
    const { clock, first } = processes();
    const held = await first.hold("work");
    const { revision } = one;
    clock.now = 19_000;
    expect(await first.hold("work")).toEqual(held);
    expect(one.revision).toBe(revision);
    clock.now = 21_000;
    expect((await first.hold("work"))?.version).not.toBe(held?.version);
    expect(await stored()).toMatchObject({ term: 1 });
  });

  it("is taken over, with a new term, when nothing new of it was seen for a minute", async () => {
    const { clock, first, second } = processes();
    const held = await first.hold("work");
    await other.catchUp();
    expect(await second.hold("work")).toBeUndefined();
    clock.now = 59_000;
    expect(await second.hold("work")).toBeUndefined();
    clock.now = 60_000;
    expect(await second.hold("work")).toBeDefined();
    expect(await stored()).toMatchObject({ term: 2 });
    // What the first one commits under its former lease is refused.
    await one.catchUp();
    const late = one.commit({ expect: [held!], put: [{ partition: "things", key: "a", value: "x" }] });
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(await first.hold("work")).toBeUndefined();
  });

  it("is not taken over from one who goes on working", async () => {
    const { clock, first, second } = processes();
    for (clock.now = 0; clock.now < 300_000; clock.now += 25_000) {
      expect(await first.hold("work")).toBeDefined();
      await other.catchUp();
      expect(await second.hold("work")).toBeUndefined();
    }
  });

  it("is free at once when its holder ends in order", async () => {
    const { first, second } = processes();
    await first.hold("work");
    await first.release();
    await other.catchUp();
    expect(await second.hold("work")).toBeDefined();
    expect(await stored()).toMatchObject({ term: 2 });
  });

  it("lets one of several nodes sweep", async () => {
    const [here, there] = [await openDirectoryOn(one), await openDirectoryOn(other)];
    await here.policies.create({
      name: "Read",
      statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }],
    });
    for (const username of ["alice", "bob", "carol"]) {
      await here.users.create({ username });
      await here.users.attachPolicy(username, "Read");
    }
    await other.catchUp();
    await here.users.delete("alice");
    const left = () => withSnapshot(one, async (it) => (await it.scan("sweep", { limit: 10 })).length);
    await expect.poll(left).toBe(0);
    await other.catchUp();
    // The other leaves it to the one that has the lease.
    const { revision } = one;
    await there.users.delete("bob");
    await one.catchUp();
    expect(one.revision).toBe(revision + 1);
    await here.users.delete("carol");
    await expect.poll(left).toBe(0);
    expect(await withSnapshot(one, (snapshot) => snapshot.get("lease", "upkeep"))).toBeDefined();
    await here.close();
    await there.close();
  });
});
