/** Passes of the controller over a mirror, on stand-ins. */
import { describe, expect, it } from "vitest";
import { openedEach } from "../opened.ts";
import { targetOf, World } from "./world.ts";

const world = openedEach(() => World.open());

const countOf = (call: string): number => world.destination.calls.get(call) ?? 0;

describe("a pass", () => {
  it("creates the mirror, marks it, and waits until no cache answers for an earlier one", async () => {
    world.commit({ a: "1" });
    const controller = world.controller();
    expect(await controller.pass()).toMatchObject({ phase: "creating" });
    expect(world.mirror).toMatchObject({ isReadOnly: true, metadata: { "mirror-uid": world.asked.uid } });
    expect(world.mirror.branches.size).toBe(0);
    expect(await controller.pass()).toMatchObject({ phase: "creating", commitsRecorded: 0 });
    expect(await world.pass(controller)).toMatchObject({
      phase: "syncing",
      commitsRecorded: 1,
      commitsPending: 1,
    });
  });

  it("waits so again, and not for an hour, where the clock is set back by one meanwhile", async () => {
    world.commit({ a: "1" });
    const controller = world.controller();
    await controller.pass();
    world.setBy = -3_600_000;
    expect(await controller.pass()).toMatchObject({ phase: "creating" });
    expect(await world.pass(controller)).toMatchObject({ phase: "syncing", commitsRecorded: 1 });
  });

  it("shows a commit once all its data is there, and no moment earlier, whatever comes last (M13)", async () => {
    const head = world.commit({ a: "1", "b/c": "22", "b/d": "", e: "4444" });
    const controller = world.controller();
    await controller.pass();
    const keys = [...world.source.store.keys()];
    for (const last of keys) {
      world.replicate();
      world.destination.store.delete(targetOf(last));
      expect(await world.pass(controller), last).toMatchObject({ phase: "syncing", objectsMissing: 1 });
      expect(world.mirror.branches.size).toBe(0);
    }
    world.replicate();
    expect(await world.pass(controller)).toMatchObject({ phase: "active", lagSeconds: 0, commitsPending: 0 });
    expect(world.mirror.branches.get("main")?.commit).toBe(head);
    expect(world.violations).toEqual([]);
  });

  it("does not take an object for whole that was cut off", async () => {
    world.commit({ a: "12345" });
    const controller = world.controller();
    await controller.pass();
    world.replicate();
    const [key = ""] = [...world.destination.store.keys()].filter((one) => one.includes("/data/"));
    world.destination.store.set(key, Buffer.from("123"));
    expect(await world.pass(controller)).toMatchObject({ phase: "syncing", objectsMissing: 1 });
  });

  it("without news costs a list of branches and a look at each repository, and writes nothing", async () => {
    world.commit({ a: "1" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    world.source.calls.clear();
    world.destination.calls.clear();
    const before = (await world.store.snapshot()).revision;
    expect(await world.pass(controller)).toMatchObject({ phase: "active" });
    expect([...world.source.calls]).toEqual([
      ["GET repository", 1],
      ["GET branches", 1],
    ]);
    expect([...world.destination.calls]).toEqual([
      ["GET repository", 1],
      ["GET metadata", 1],
    ]);
    expect((await world.store.snapshot()).revision).toBe(before);
  });

  it("looks at the objects that a commit changed, and at no other", async () => {
    world.commit(Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p/${at}`, `${at}`])));
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    expect(countOf("GET refs objects")).toBe(400);
    const head = world.commit(
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p/${at * 39}`, `new ${at}`])),
    );
    world.replicate();
    const report = await world.pass(controller);
    expect(report).toMatchObject({ phase: "active", work: { looks: 10, recorded: 1, promotions: 1 } });
    expect(countOf("GET refs objects")).toBe(410);
    expect(world.mirror.branches.get("main")?.commit).toBe(head);
  });

  it("goes on where a killed one ended: nothing is recorded or looked at twice", async () => {
    for (let at = 0; at < 20; at += 1) world.commit({ [`a${at}`]: `${at}` });
    world.replicate();
    await world.controller().pass();
    await world.pass(world.controller());
    expect(countOf("POST commits")).toBe(20);
    world.commit({ more: "1" });
    world.replicate();
    await world.pass(world.controller());
    expect(countOf("POST commits")).toBe(21);
    expect(countOf("GET refs objects")).toBe(21);
    expect(world.behind()).toEqual([]);
  });

  it.each(["is killed", "fails"])("goes on in the middle of a commit where it %s there", async (how) => {
    world.commit(Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p/${at}`, `${at}`])));
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    world.destination.fault = (call) => {
      if (call !== "GET refs objects") return "none";
      if (countOf(call) > 200) return how === "fails" ? "busy" : { delayMs: 60_000 };
      world.clock += 1_000;
      return "none";
    };
    const ending = world.pass(controller);
    if (how === "fails") await expect(ending).rejects.toThrow("503");
    else await expect.poll(() => countOf("GET refs objects")).toBeGreaterThan(200);
    const stored = (await world.store.snapshot()).get("mirror_progress", `${world.asked.uid}/state`);
    const { verified, findings } = JSON.parse((await stored)?.value ?? "");
    expect([findings.phase, findings.recorded]).toEqual(["syncing", 1]);
    expect(Object.values(verified as Record<string, string[]>)[0]?.length).toBeGreaterThan(10);
    world.destination.fault = () => "none";
    world.destination.calls.clear();
    expect(await world.pass(world.controller())).toMatchObject({ phase: "active" });
    expect(countOf("GET refs objects")).toBeLessThan(260);
    ending.catch(() => {});
  });

  it("saves what a pass that failed had learnt, though the next one learns nothing", async () => {
    world.commit({ a: "1" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    world.destination.fault = (call) => (call === "DELETE branches" ? "lost" : "none");
    world.commit({ b: "1" });
    world.replicate();
    await expect(world.pass(controller)).rejects.toThrow("DELETE");
    world.destination.fault = () => "none";
    await world.pass(controller);
    world.destination.calls.clear();
    expect(await world.pass(world.controller())).toMatchObject({ phase: "active", lagSeconds: 0 });
    expect(countOf("POST branches")).toBe(0);
    expect(countOf("POST commits")).toBe(0);
    expect(world.behind()).toEqual([]);
    const stored = (await world.store.snapshot()).get("mirror_progress", `${world.asked.uid}/state`);
    expect(JSON.parse((await stored)?.value ?? "").branches.main.intent).toBeUndefined();
  });

  it("deletes a branch that two scans did not find, and keeps the default branch", async () => {
    world.commit({ a: "1" });
    world.commit({ b: "1" }, "dev");
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    expect(world.behind()).toEqual([]);
    world.repository.deleteBranch("dev");
    world.repository.deleteBranch("main");
    await world.pass(controller);
    expect([...world.mirror.branches.keys()].sort()).toEqual(["dev", "main"]);
    expect(await world.pass(controller)).toMatchObject({
      phase: "degraded",
      reason: expect.stringContaining("the default branch main does not exist"),
    });
    expect([...world.mirror.branches.keys()]).toEqual(["main"]);
  });

  it("deletes nothing where a list of branches fails", async () => {
    world.commit({ a: "1" });
    world.commit({ b: "1" }, "dev");
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    world.source.fault = (call) => (call === "GET branches" ? "busy" : "none");
    for (let at = 0; at < 3; at += 1) await expect(world.pass(controller)).rejects.toThrow("503 busy");
    expect(world.mirror.branches.size).toBe(2);
  });

  it("drops what somebody staged by force before it moves a branch", async () => {
    world.commit({ a: "1" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    const staged = world.repository.upload({ foreign: "x" });
    await world.mirror.update("main", "upload", "", () => ({ staged }));
    world.commit({ b: "1" });
    world.replicate();
    await world.pass(controller);
    expect(world.mirror.branches.get("main")?.staged.size).toBe(0);
    expect(world.behind()).toEqual([]);
  });

  it("after a foreign write of a branch follows what the source shows from then on", async () => {
    const first = world.commit({ a: "1" });
    world.commit({ b: "1" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    world.destination.onHead = () => {};
    world.mirror.point("main", first);
    await world.pass(world.controller());
    expect(world.behind()).toEqual([]);
    const third = world.commit({ c: "1" });
    world.replicate();
    await world.pass(world.controller());
    expect(world.mirror.branches.get("main")?.commit).toBe(third);
  });

  it("mirrors the branches that patterns choose, and no other commits (M6)", async () => {
    world.commit({ a: "1" });
    const dev = world.commit({ b: "1" }, "dev-1");
    world.commit({ c: "1" }, "dev-secret");
    world.replicate();
    const controller = world.controller(undefined, {
      branches: { include: ["main", "dev-*"], exclude: ["*secret"] },
    });
    await controller.pass();
    await world.pass(controller);
    expect([...world.mirror.branches.keys()].sort()).toEqual(["dev-1", "main"]);
    expect(world.mirror.commits.size).toBe(2);
    expect(world.mirror.commits.has(dev)).toBe(true);
    const narrower = world.controller(undefined, { branches: { include: ["main"], exclude: [] } });
    await world.pass(narrower);
    await world.pass(narrower);
    expect([...world.mirror.branches.keys()]).toEqual(["main"]);
  });

  it("goes on with the other branches where the server protects one, and leaves no fences", async () => {
    world.commit({ a: "1" });
    world.commit({ b: "1" }, "zeta");
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    world.destination.closedBranches.add("main");
    world.commit({ c: "1" });
    world.commit({ d: "1" }, "zeta");
    world.replicate();
    for (let at = 0; at < 3; at += 1) {
      expect(await world.pass(controller)).toMatchObject({
        phase: "degraded",
        reason: expect.stringContaining("the branch main be changed"),
      });
      expect([...world.mirror.branches.keys()].sort()).toEqual(["main", "zeta"]);
    }
    expect(world.behind()).toEqual(["main"]);
    world.destination.closedBranches.clear();
    expect(await world.pass(controller)).toMatchObject({ phase: "active", reason: "" });
    expect(world.behind()).toEqual([]);
    expect(world.violations).toEqual([]);
  });

  it("tells ten reasons and the number of the others", async () => {
    const { repository } = world;
    for (let at = 0; at < 15; at += 1) {
      const entry = { address: `local://elsewhere/${at}`, size: 3, isFull: true };
      repository.commit(`b${at}`, new Map([["linked", entry]]));
    }
    world.replicate();
    const blocking = world.controller(undefined, {}, true);
    await blocking.pass();
    const reason = (await world.pass(blocking))?.reason ?? "";
    expect(reason.split("; ")).toHaveLength(11);
    expect(reason).toMatch(/; and 5 more$/);
  });

  it("has branches of any name, those of every object's members too", async () => {
    world.commit({ a: "1" });
    for (const name of ["constructor", "__proto__", "toString"]) world.commit({ [name]: "1" }, name);
    world.replicate();
    await world.controller().pass();
    expect(await world.pass(world.controller())).toMatchObject({ phase: "active" });
    expect(world.behind()).toEqual([]);
    for (const name of ["constructor", "__proto__"]) world.commit({ b: "1" }, name);
    world.replicate();
    expect(await world.pass(world.controller())).toMatchObject({ work: { promotions: 2 } });
    world.repository.deleteBranch("__proto__");
    await world.pass(world.controller());
    await world.pass(world.controller());
    expect(world.behind()).toEqual([]);
    expect(world.violations).toEqual([]);
  });
});
