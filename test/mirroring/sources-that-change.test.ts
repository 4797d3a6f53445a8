/** Passes over sources that lost, changed or made up what they had. */
import { describe, expect, it } from "vitest";
import { openedEach } from "../opened.ts";
import { targetOf, World } from "./world.ts";

const world = openedEach(() => World.open());

describe("a source that changes", () => {
  it("follows a source that lost an object, after two looks that are far enough apart", async () => {
    world.commit({ a: "1", b: "2" });
    world.replicate();
    const lost = [...world.source.store.keys()].find((key) => key.includes("/data/")) as string;
    world.source.store.delete(lost);
    world.destination.store.delete(targetOf(lost));
    const controller = world.controller();
    await controller.pass();
    for (let at = 0; at < 10; at += 1)
      expect(await world.pass(controller)).toMatchObject({ objectsMissing: 1 });
    world.source.fault = (call) => (call === "GET refs objects" ? "busy" : "none");
    await expect(world.pass(controller)).rejects.toThrow("503");
    expect(world.mirror.branches.size).toBe(0);
    world.source.fault = () => "none";
    expect(await world.pass(controller)).toMatchObject({ phase: "active", goneAtSource: 1 });
    expect(world.violations).toEqual([]);
  });

  it("follows a source that lost any number of objects, of all its old commits, after the same two looks", async () => {
    for (let at = 0; at < 4; at += 1)
      world.commit(Object.fromEntries(Array.from({ length: 300 }, (_, one) => [`p/${one}`, `${at} ${one}`])));
    world.replicate();
    // A rule of retention has left the objects of the newest commit alone.
    const kept = new Set(
      [...(world.repository.contentOf(world.repository.branches.get("main")?.commit ?? "") ?? [])].map(
        ([, { address }]) => `local://sales/${address}`,
      ),
    );
    for (const key of [...world.source.store.keys()].filter((one) => one.includes("/data/"))) {
      if (kept.has(key)) continue;
      world.source.store.delete(key);
      world.destination.store.delete(targetOf(key));
    }
    const controller = world.controller();
    await controller.pass();
    const first = await world.pass(controller);
    expect(first).toMatchObject({ commitsPending: 4, objectsMissing: 900, work: { looks: 1_200 } });
    expect(first?.reason).toContain("that the source lost, too; they are looked for again at");
    for (let at = 0; at < 9; at += 1) {
      expect(await world.pass(controller)).toMatchObject({ objectsMissing: 900, work: { looks: 0 } });
    }
    expect(world.mirror.branches.size).toBe(0);
    expect(await world.pass(controller)).toMatchObject({
      phase: "active",
      goneAtSource: 900,
      commitsPending: 0,
    });
    expect(world.violations).toEqual([]);
    const stored = (await world.store.snapshot()).get("mirror_progress", `${world.asked.uid}/state`);
    expect(JSON.parse((await stored)?.value ?? "")).toMatchObject({ gone: [], verified: {} });
  });

  it("waits anew where the source has an object again, or lost another one", async () => {
    world.commit({ a: "1", b: "2" });
    world.replicate();
    const [first = "", second = ""] = [...world.source.store.keys()].filter((one) => one.includes("/data/"));
    const bytes = world.source.store.get(first) ?? Buffer.alloc(0);
    for (const key of [first, second]) world.destination.store.delete(targetOf(key));
    world.source.store.delete(first);
    world.source.store.delete(second);
    const controller = world.controller();
    await controller.pass();
    for (let at = 0; at < 10; at += 1) await world.pass(controller);
    world.source.store.set(first, bytes);
    expect(await world.pass(controller)).toMatchObject({ objectsMissing: 2 });
    world.replicate();
    for (let at = 0; at < 9; at += 1) await world.pass(controller);
    expect(world.mirror.branches.size).toBe(0);
    for (let at = 0; at < 2; at += 1) await world.pass(controller);
    expect(world.behind()).toEqual([]);
    expect(world.violations).toEqual([]);
  });

  it("does not wait for data of commits that no branch of the source leads to any more", async () => {
    const kept = world.commit({ a: "1" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    world.commit({ b: "1" });
    expect(await world.pass(controller)).toMatchObject({ commitsPending: 1 });
    world.repository.point("main", kept);
    await world.pass(controller);
    expect(await world.pass(controller)).toMatchObject({
      phase: "active",
      commitsPending: 0,
      objectsMissing: 0,
      oldestPendingAt: undefined,
    });
  });

  it("counts objects outside the namespace, and holds their commits back where that is configured (M12)", async () => {
    const { repository } = world;
    const linked = new Map([["linked", { address: "local://elsewhere/x", size: 3, isFull: true }]]);
    repository.commit("main", new Map([...repository.upload({ a: "1" }), ...linked]));
    world.replicate();
    const blocking = world.controller(undefined, {}, true);
    await blocking.pass();
    expect(await world.pass(blocking)).toMatchObject({
      phase: "degraded",
      externalObjects: 1,
      reason: expect.stringContaining("outside the storage namespace"),
    });
    expect(world.mirror.branches.size).toBe(0);
    expect(await world.pass(world.controller())).toMatchObject({ phase: "active", externalObjects: 1 });
  });

  it("records no commit whose id is not that of its content, and none that leads to it", async () => {
    const first = world.commit({ a: "1" });
    const second = world.commit({ b: "1" });
    world.commit({ c: "1" });
    const { repository } = world;
    const forged = repository.commits.get(second);
    if (forged !== undefined) repository.commits.set(second, { ...forged, message: "another" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    expect(await world.pass(controller)).toMatchObject({ phase: "degraded", commitsRecorded: 1 });
    expect([...world.mirror.commits.keys()]).toEqual([first]);
  });
});
