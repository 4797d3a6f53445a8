import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import { afterEach, describe, expect, it } from "vitest";
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

/** Patterns that match about every resource and action. */
const wide = (count: number) =>
  Array.from({ length: 10 }, (_, statement) => ({
    effect: "deny",
    action: ["fs:*"],
    resource: JSON.stringify(
      Array.from({ length: count }, (__, item) => `arn:svc:fs:::repository/x*?_?y${statement}${item}`),
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

describe("a search above its budget of work", () => {
  const page = { limit: 10 };
  const resource = "arn:svc:fs:::repository/xx0_5y";
  const context = new Map<string, string>();

  it.each([
    ["who-can", () => world.decisions.searches.whoCan({ action: "fs:Act0", resource, context, page })],
    ["what-can", () => world.decisions.searches.whatCan({ user: "alice", resource, context, page })],
    ["plan", () => world.decisions.searches.plan({ user: "alice", action: "fs:Act0", context })],
    [
      "subjects",
      () =>
        world.decisions.searches.subjects({
          subject: { type: "user" },
          action: { name: "fs:Act0" },
          resource: { type: "arn", id: resource },
          page,
        }),
    ],
    [
      "actions",
      () =>
        world.decisions.searches.actions({
          subject: { type: "user", id: "alice" },
          resource: { type: "arn", id: resource },
          page,
        }),
    ],
  ])("%s is refused by name of the limit", async (_name, search) => {
    await withPolicies(45, 45);
    // Every action is granted, so that all indexes are needed.
    await world.directory.policies.create({ name: "All", statement: wide(240) });
    await world.directory.users.attachPolicy("alice", "All");
    await expect(search()).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(REFUSED),
    });
  });

  it("resources is refused where many are registered and many patterns are tried", async () => {
    world = await openWorld({ requestLimits: LIMITS });
    await world.directory.users.create({ username: "alice" });
    const [statement] = statements(1, 900);
    const demo = JSON.parse(JSON.stringify(statement).replaceAll(":fs:", ":demo:").replace("fs:", "demo:"));
    const arn = "arn:svc:demo:::repository/{id}";
    const type = { type: "thing", arn, id: "{id}", actions: { act: "demo:Act0" } };
    const things = Array.from({ length: 2000 }, (_, index) => ({
      op: "put_resource" as const,
      resource: { type: "thing", id: `xx0_${index}y`, properties: {} },
    }));
    const all = [{ op: "put_resource_type" as const, resourceType: type }, ...things];
    await world.directory.batches.apply(all, { managed: false });
    await world.directory.policies.create({
      name: "Demo",
      statement: [
        { ...demo, effect: "deny" },
        { ...demo, resource: "*" },
      ],
    });
    await world.directory.users.attachPolicy("alice", "Demo");
    const search = {
      subject: { type: "user", id: "alice" },
      action: { name: "demo:Act0" },
      resource: { type: "thing" },
      page,
    };
    await expect(world.decisions.searches.resources(search)).rejects.toThrow(REFUSED);
  });
});

describe("work whose caller is gone", () => {
  const waiter = { signal: AbortSignal.abort(new Error("gone")) };

  it("ends, whichever question it is for", async () => {
    await withPolicies(80, 3);
    const user = "alice";
    const { context, requestId } = SOURCES;
    const call = { ...waiter, caller: { name: "c" }, peer: undefined, startedAt: 0, traceParent: undefined };
    const asked = { ...SOURCES, user, required: tree(80), entrance: "check", call } as const;
    await expect(world.decisions.check(asked)).rejects.toThrow("gone");
    const resources = ["arn:svc:fs:::repository/x"];
    await expect(
      world.decisions.filter({ user, action: "fs:Act0", resources, context, requestId, waiter }),
    ).rejects.toThrow("gone");
    await expect(
      world.decisions.searches.plan({ user, action: "fs:Act0", context }, waiter.signal),
    ).rejects.toThrow("gone");
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
