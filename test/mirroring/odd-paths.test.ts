/** Objects of any path are looked at under their own bytes, and one that no server takes is named. */
import { expect, it } from "vitest";
import { pathText } from "../../src/mirroring/data/path-text.ts";
import { openedEach } from "../opened.ts";
import { readFixture } from "../read-fixture.ts";
import type { Entry } from "./stand-in/content.ts";
import { pathOf } from "./stand-in/path-bytes.ts";
import { targetOf, World } from "./world.ts";

interface OddPath {
  readonly what: string;
  /** Its bytes. */
  readonly hex: string;
}

const PATHS = readFixture<readonly OddPath[]>("mirroring/odd-paths.json").map(({ what, hex }) => {
  const bytes = Buffer.from(hex, "hex");
  return { what, bytes, path: pathOf(bytes) };
});
const TOO_LONG = "y".repeat(1_025);

const world = openedEach(() => World.open());

it("no two of the paths are the same", () => {
  expect(new Set(PATHS.map(({ path }) => path)).size).toBe(PATHS.length);
});

it("waits for each of them, names it, and shows all in the end", async () => {
  const { repository } = world;
  const content = new Map<string, Entry>();
  const controller = world.controller();
  repository.commit("main", content);
  await controller.pass();
  for (const { what, path, bytes } of PATHS) {
    for (const [name, entry] of repository.upload({ [path]: what })) content.set(name, entry);
    const head = repository.commit("main", content);
    world.replicate();
    world.destination.store.delete(targetOf(`${repository.namespace}/${content.get(path)?.address}`));
    const report = await world.pass(controller);
    expect(report, what).toMatchObject({ phase: "syncing", objectsMissing: 1 });
    expect(report?.reason, what).toContain(`: ${pathText(bytes)} of ${head}`);
    world.replicate();
    expect(await world.pass(controller), what).toMatchObject({ phase: "active", objectsMissing: 0 });
    expect([...(world.mirror.contentOf(head) ?? []).keys()].sort()).toEqual([...content.keys()].sort());
  }
  expect(world.violations).toEqual([]);
});

it("an object whose path no server takes holds back its commit and no other branch", async () => {
  const { repository } = world;
  repository.commit("main", repository.upload({ a: "1" }));
  const head = repository.commit("long", repository.upload({ b: "2", [TOO_LONG]: "3" }));
  world.replicate();
  const controller = world.controller();
  await controller.pass();
  const report = await world.pass(controller);
  expect(report).toMatchObject({ phase: "degraded", objectsMissing: 1, commitsPending: 1 });
  const named = `does not take the path of an object: ${"y".repeat(1_024)}… of ${head}`;
  expect(report?.reason).toContain(named);
  expect(report?.reason).not.toContain("replicated");
  expect([...world.mirror.branches.keys()]).toEqual(["main"]);
});

it("no call is made for a segment that means another place", async () => {
  const { destination } = world.servers();
  world.destination.create("sales-west");
  for (const name of [".", "..", ""])
    await expect(destination.deleteBranch("sales-west", name)).rejects.toThrow(
      "no data server has such a name",
    );
  expect(world.destination.calls.size).toBe(0);
});
