/** Data of heads that is lost after it was shown. */
import { expect, it } from "vitest";
import { openedEach } from "../opened.ts";
import { targetOf, World } from "./world.ts";

const world = openedEach(() => World.open());

it("makes a mirror degraded, for each process that acts for it, and is looked for only as often as configured", async () => {
  world.repository.commit("main", world.repository.upload({ a: "1", b: "2" }));
  world.replicate();
  const controller = world.controller(undefined, {}, false, [], 3 * 60_000);
  await controller.pass();
  expect(await world.pass(controller)).toMatchObject({ phase: "active" });
  const keys = [...world.source.store.keys()].filter((one) => one.includes("/data/"));
  const [lost = ""] = keys.map(targetOf);
  world.destination.store.delete(lost);
  for (let at = 0; at < 2; at += 1)
    expect(await world.pass(controller)).toMatchObject({ phase: "active", reason: "" });
  expect(await world.pass(controller)).toMatchObject({
    phase: "degraded",
    reason: expect.stringMatching(/^data of the branch main is not there any more: a of /),
  });
  // Another process that takes the mirror over knows it, too, and looks no sooner.
  const { looks } = (await world.pass(world.controller(undefined, {}, false, [], 3 * 60_000)))?.work ?? {};
  expect(looks).toBe(0);
  expect(await world.pass(world.controller(undefined, {}, false, [], 3 * 60_000))).toMatchObject({
    phase: "degraded",
  });
});

it("makes a mirror active again once it is back", async () => {
  world.repository.commit("main", world.repository.upload({ a: "1", b: "2" }));
  world.replicate();
  const controller = world.controller(undefined, {}, false, [], 3 * 60_000);
  await controller.pass();
  await world.pass(controller);
  const keys = [...world.source.store.keys()].filter((one) => one.includes("/data/"));
  const [lost = "", both = ""] = keys.map(targetOf);
  world.destination.store.delete(lost);
  for (let at = 0; at < 3; at += 1) await world.pass(controller);
  world.replicate();
  for (let at = 0; at < 2; at += 1) expect(await world.pass(controller)).toMatchObject({ phase: "degraded" });
  expect(await world.pass(controller)).toMatchObject({ phase: "active", reason: "" });
  // The source lost it, too.
  world.destination.store.delete(both);
  world.source.store.delete(keys[1] ?? "");
  for (let at = 0; at < 4; at += 1) expect(await world.pass(controller)).toMatchObject({ phase: "active" });
});

it("is not looked for without the setting", async () => {
  world.repository.commit("main", world.repository.upload({ a: "1" }));
  world.replicate();
  const controller = world.controller();
  await controller.pass();
  for (let at = 0; at < 100; at += 1) await world.pass(controller);
  expect(world.destination.calls.get("GET refs objects")).toBe(1);
});

it("finds what others changed by force, says so, and the mirror follows the source again", async () => {
  const { repository } = world;
  const first = repository.commit("main", repository.upload({ a: "1" }));
  const head = repository.commit("main", repository.upload({ a: "2" }));
  world.replicate();
  const controller = world.controller(undefined, {}, false, [], 3 * 60_000);
  await controller.pass();
  // Behind the look at all branches that the first settlement makes late.
  for (let at = 0; at < 4; at += 1) await world.pass(controller);
  const { branches } = world.mirror;
  const main = branches.get("main");
  if (main === undefined) throw new Error("nothing is shown");
  main.commit = first;
  branches.set("theirs", { ...main, staged: new Map() });
  const { violations } = world;
  let told = await world.pass(controller);
  for (let at = 0; at < 2 && told?.phase === "active"; at += 1) told = await world.pass(controller);
  expect(told).toMatchObject({ phase: "degraded" });
  for (const name of ["main", "theirs"])
    expect(told?.reason).toContain(`the branch ${name} of the mirror was changed by somebody else`);
  for (let at = 0; at < 3; at += 1) await world.pass(controller);
  expect([...branches].map(([name, { commit }]) => [name, commit])).toEqual([["main", head]]);
  // The witness takes the way back for one of the mirror: nothing else is wrong.
  expect(violations.filter((one) => !one.startsWith("M3"))).toEqual([]);
  for (let at = 0; at < 3; at += 1) await world.pass(controller);
  expect(await world.pass(controller)).toMatchObject({ phase: "active", reason: "" });
});

it("says what it cannot look at", async () => {
  const { repository } = world;
  const head = repository.commit("main", repository.upload({ a: "1" }));
  world.replicate();
  const controller = world.controller(undefined, {}, false, [], 3 * 60_000);
  await controller.pass();
  await world.pass(controller);
  repository.commits.delete(head);
  for (let at = 0; at < 3; at += 1) await world.pass(controller);
  expect(await world.pass(controller)).toMatchObject({
    phase: "degraded",
    reason: `data of the branch main cannot be looked at again: the source has no commit ${head} any more`,
  });
});
