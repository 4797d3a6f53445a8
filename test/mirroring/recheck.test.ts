/** Data of heads that is lost after it was shown. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { targetOf, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

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
