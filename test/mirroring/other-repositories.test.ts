/** Destinations that are another repository than the mirror. */
import { describe, expect, it } from "vitest";
import { openedEach } from "../opened.ts";
import { World } from "./world.ts";

const world = openedEach(() => World.open());

describe("a repository that is another one", () => {
  it.each([
    ["the source is gone", () => world.source.repositories.delete("sales")],
    [
      "the source was made again",
      () => {
        world.source.now = () => 1;
        world.source.create("sales");
      },
    ],
    ["the mirror is gone", () => world.destination.repositories.delete("sales-west")],
    [
      "the mirror was made again",
      () => {
        world.destination.now = () => 1;
        world.destination.create("sales-west", { isReadOnly: true });
      },
    ],
    [
      "the mirror belongs to another mirror",
      () => Object.assign(world.mirror.metadata, { "mirror-uid": "other" }),
    ],
    ["the mirror lost its mark", () => Reflect.deleteProperty(world.mirror.metadata, "mirror-uid")],
  ])("is not touched: %s", async (_, change) => {
    world.commit({ a: "1" });
    world.replicate();
    const controller = world.controller();
    await controller.pass();
    await world.pass(controller);
    change();
    world.destination.calls.clear();
    expect(await world.pass(controller)).toMatchObject({ phase: "failed" });
    expect([...world.destination.calls.keys()].filter((call) => !call.startsWith("GET"))).toEqual([]);
  });

  it("is not taken over where it has branches, can be written, or is older", async () => {
    for (const facts of [
      { isReadOnly: false },
      { isReadOnly: true, namespace: "local://other" },
      { isReadOnly: true, createdAt: 1 },
    ]) {
      world.destination.create("sales-west", { ...facts });
      expect(await world.controller().pass()).toMatchObject({ phase: "failed" });
    }
    const withBranch = world.destination.create("sales-west", { isReadOnly: true });
    withBranch.commit("main", new Map());
    expect(await world.controller().pass()).toMatchObject({ phase: "failed" });
  });

  it("is taken over where a creation of ours was cut off before the mark", async () => {
    world.commit({ a: "1" });
    world.destination.create("sales-west", { isReadOnly: true });
    expect(await world.controller().pass()).toMatchObject({ phase: "creating" });
    expect(world.mirror.metadata).toEqual({ "mirror-uid": world.asked.uid });
  });
});
