import { afterEach, describe, expect, it } from "vitest";
import type { RequiredPermissions } from "../../src/model/decision.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
afterEach(() => world.close());

const LIMITS = { treeNodes: 1000, arnBytes: 4096, work: 1_000_000 };
const REFUSED = /more work than authorizer\.limits\.work allows \(1000000 units\)/;
const SOURCES = { context: new Map<string, string>(), explain: false, requestId: "" };

/** Statements about one action each, with as many resources as are asked for. */
const statements = (count: number, resources: number) =>
  Array.from({ length: count }, (_, index) => ({
    effect: "allow",
    action: [`fs:Act${index}`],
    resource: JSON.stringify(
      Array.from({ length: resources }, (__, item) => `arn:svc:fs:::repository/*?${index}_${item}?*`),
    ),
  }));

const tree = (leaves: number): RequiredPermissions => ({
  and: Array.from({ length: leaves }, (_, index) => ({
    action: `fs:Act${index}`,
    resource: `arn:svc:fs:::repository/xx${index}_0y`,
  })),
});

async function withPolicies(count: number, resources: number): Promise<void> {
  world = await openWorld({ requestLimits: LIMITS });
  await world.directory.users.create({ username: "alice" });
  await world.directory.policies.create({ name: "P", statement: statements(count, resources) });
  await world.directory.users.attachPolicy("alice", "P");
}

describe("a request above its budget of work", () => {
  it("is refused by name of the limit, and the next one is answered", async () => {
    await withPolicies(45, 45);
    const check = (required: RequiredPermissions) =>
      world.decisions.check({ ...SOURCES, user: "alice", required, entrance: "check" });
    await expect(check(tree(45))).rejects.toThrow(REFUSED);
    await expect(check(tree(45))).rejects.toMatchObject({ code: "invalid_request" });
    expect(await check(tree(2))).toMatchObject({ effect: "allow" });
  });

  it("is refused where it simulates, whichever question it asks", async () => {
    world = await openWorld({ requestLimits: LIMITS });
    const policies = [{ name: "P", statement: statements(100, 50) }];
    const simulate = (question: object) =>
      world.decisions.simulate({ ...SOURCES, user: "alice", policies, evaluator: "extended", ...question });
    await expect(simulate({ required: tree(100) })).rejects.toThrow(REFUSED);
    await expect(
      simulate({ list: { action: "fs:Act1", resource: "arn:svc:fs:::repository/x" } }),
    ).rejects.toThrow(REFUSED);
  });

  it("is refused where a filter has many patterns to try for many resources", async () => {
    await withPolicies(1, 900);
    const resources = Array.from({ length: 20_000 }, (_, index) => `arn:svc:fs:::repository/xx0_${index}y`);
    const { context, requestId } = SOURCES;
    await expect(
      world.decisions.filter({ user: "alice", action: "fs:Act0", resources, context, requestId }),
    ).rejects.toThrow(REFUSED);
  });
});

describe("a long tree", () => {
  it("is decided in slices as it would be at once", async () => {
    world = await openWorld();
    await world.directory.users.create({ username: "alice" });
    await world.directory.policies.create({ name: "P", statement: statements(300, 3) });
    await world.directory.users.attachPolicy("alice", "P");
    const check = (required: RequiredPermissions) =>
      world.decisions.check({ ...SOURCES, user: "alice", required, entrance: "check" });
    expect(await check(tree(300))).toMatchObject({ effect: "allow" });
    expect(await check({ and: [tree(300), { any_resource: { action: "fs:Act7" } }] })).toMatchObject({
      effect: "allow",
    });
    expect(await check(tree(301))).toMatchObject({
      effect: "neutral",
      message: "insufficient permissions: not allowed to fs:Act300",
    });
  });
});
