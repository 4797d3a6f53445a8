/** Findings of passes are kept, for whoever shows a mirror without acting for it. */
import { expect, it } from "vitest";
import { attended, reportOf } from "../../src/mirroring/mirror-report.ts";
import { Progress } from "../../src/mirroring/progress/progress.ts";
import { openedEach } from "../opened.ts";
import { World } from "./world.ts";

const world = openedEach(() => World.open());

const stored = async () => reportOf(await Progress.stateOf(world.store, world.asked.uid), world.clock);
const commit = (content: string): void => {
  world.repository.commit("main", world.repository.upload({ a: content }));
};

it("a mirror for which nothing was done is being created", async () => {
  expect(await stored()).toMatchObject({ phase: "creating", reason: "", heads: [], lagSeconds: 0 });
});

it("the stored report is that of the pass", async () => {
  commit("1");
  const controller = world.controller();
  await controller.pass();
  expect(await stored()).toMatchObject({ phase: "creating" });
  for (const whole of [false, true]) {
    if (whole) world.replicate();
    const report = await world.pass(controller);
    expect(report?.phase).toBe(whole ? "active" : "syncing");
    expect(await stored()).toEqual({ ...report, work: { recorded: 0, looks: 0, promotions: 0 } });
  }
});

it("a server that does not answer makes it degraded, with the time of its first failure, until it answers", async () => {
  commit("1");
  world.replicate();
  const controller = world.controller();
  await controller.pass();
  await world.pass(controller);
  expect(await stored()).toMatchObject({ phase: "active" });
  world.source.fault = () => "busy";
  await expect(world.pass(controller)).rejects.toThrow("503");
  const since = new Date(world.clock).toISOString();
  const { revision } = await world.store.snapshot();
  await expect(world.pass(controller)).rejects.toThrow("503");
  expect((await world.store.snapshot()).revision).toBe(revision);
  const expected = `a data server does not answer since ${since}: GET /repositories/sales: 503 busy`;
  expect(await stored()).toMatchObject({ phase: "degraded", reason: expected });
  world.source.fault = () => "none";
  await world.pass(controller);
  expect(await stored()).toMatchObject({ phase: "active", reason: "" });
});

it("a mirror that failed says so, and why", async () => {
  commit("1");
  const controller = world.controller();
  await controller.pass();
  world.source.repositories.delete("sales");
  await world.pass(controller);
  expect(await stored()).toMatchObject({
    phase: "failed",
    reason: expect.stringContaining("does not exist any more"),
  });
});

it("nothing is saved for a mirror whose record was written meanwhile", async () => {
  commit("1");
  world.replicate();
  const at = { partition: "mirror", key: "sales-west" };
  const version = String(await world.store.commit({ put: [{ ...at, value: "{}" }] }));
  const controller = world.controller(undefined, {}, false, [{ ...at, version, base: undefined }]);
  await controller.pass();
  expect(await world.pass(controller)).toMatchObject({ phase: "active" });
  commit("2");
  world.replicate();
  const place = world.mirror.branches.get("main")?.commit;
  await world.store.commit({ put: [{ ...at, value: '{"deleting":true}' }] });
  expect(await world.pass(controller)).toBeUndefined();
  expect(world.mirror.branches.get("main")?.commit).toBe(place);
});

it("who acts for a mirror writes every few minutes, and a mirror for which nobody does is not called active", async () => {
  commit("1");
  world.replicate();
  const controller = world.controller();
  await controller.pass();
  await world.pass(controller);
  // Three minutes later branches are looked at once more, and that is written.
  for (let at = 0; at < 3; at += 1) await world.pass(controller);
  const written = (await stored()).actedAt ?? 0;
  for (let at = 0; at < 4; at += 1) await world.pass(controller);
  expect((await stored()).actedAt).toBe(written);
  await world.pass(controller);
  const { actedAt = 0, phase } = await stored();
  expect(actedAt).toBeGreaterThanOrEqual(written + 300);
  expect(phase).toBe("active");
  const seen = async (scanMs: number) =>
    attended(await stored(), world.asked, { nowMs: world.clock, scanMs });
  world.clock += 14 * 60_000;
  expect(await seen(60_000)).toMatchObject({ phase: "active", reason: "", lagSeconds: 0 });
  world.clock += 60_000;
  expect(await seen(60_000)).toMatchObject({
    phase: "degraded",
    reason: expect.stringContaining(
      `nobody has acted for it since ${new Date(actedAt * 1_000).toISOString()}`,
    ),
    lagSeconds: 15 * 60,
  });
  // Passes that are made once an hour are no silence.
  expect(await seen(3_600_000)).toMatchObject({ phase: "active" });
  await world.pass(controller);
  expect(await seen(60_000)).toMatchObject({ phase: "active", reason: "" });
});

it("a mirror for which nobody ever acted says so", async () => {
  const late = (world.asked.createdAt + 900) * 1_000;
  const report = attended(await stored(), world.asked, { nowMs: late, scanMs: 60_000 });
  expect(report).toMatchObject({
    phase: "creating",
    reason: expect.stringMatching(/^nobody has acted for it/),
  });
});

it("the time without an answer of a data server is time behind", async () => {
  commit("1");
  world.replicate();
  const controller = world.controller();
  await controller.pass();
  await world.pass(controller);
  world.source.fault = () => "busy";
  for (let at = 0; at < 3; at += 1) await expect(world.pass(controller)).rejects.toThrow("503");
  expect(controller.newest).toMatchObject({ phase: "degraded", lagSeconds: 120 });
  expect(await stored()).toMatchObject({ phase: "degraded", lagSeconds: 120 });
});
