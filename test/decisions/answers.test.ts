import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EvaluationRequest, SimulationCase } from "../../src/decisions/decisions.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await world.directory.batches.apply(
    [
      {
        op: "put_resource_type",
        resourceType: {
          type: "record",
          arn: "arn:svc:demo:::record/{id}",
          id: "{id}",
          actions: { read: "demo:Read" },
        },
      },
      {
        op: "put_policy",
        policy: {
          name: "Reads",
          statement: [
            { effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/r/*" },
            {
              effect: "allow",
              action: ["demo:Read"],
              resource: "arn:svc:demo:::record/*",
              condition: { StringLike: { "subject.department": ["sales"], "resource.status": ["active"] } },
            },
            {
              effect: "deny",
              action: ["fs:ReadObject"],
              resource: "*",
              condition: { IpAddress: { SourceIp: ["10.9.0.0/16"] } },
            },
          ],
        },
      },
      {
        op: "put_resource",
        resource: { type: "record", id: "one", properties: { status: "active" } },
      },
      {
        op: "put_resource",
        resource: { type: "record", id: "two", properties: { status: "closed" } },
      },
      { op: "put_user", user: { username: "alice", properties: { department: "sales" } } },
      { op: "attach_to_user", username: "alice", policy: "Reads" },
    ],
    { managed: false },
  );
});
afterEach(() => world.close());

const ask = async (
  action: string,
  resource: { type: string; id: string; properties?: Properties },
  more: Partial<EvaluationRequest> = {},
) =>
  world.decisions.evaluate({
    subject: { type: "user", id: "alice" },
    action: { name: action },
    resource,
    explain: false,
    entrance: "evaluation",
    requestId: "",
    ...more,
  });

describe("an AuthZEN evaluation", () => {
  it("maps a resource type and a short action name to an ARN and an action", async () => {
    expect(await ask("read", { type: "object", id: "r/a/b" })).toEqual({ decision: true });
    expect(await ask("fs:ReadObject", { type: "object", id: "r/a/b" })).toEqual({ decision: true });
    expect(await ask("fs:ReadObject", { type: "arn", id: "arn:svc:fs:::repository/r/x" })).toEqual({
      decision: true,
    });
    expect(await ask("write", { type: "object", id: "r/a" })).toMatchObject({
      decision: false,
      context: { reason_user: { "403": "insufficient permissions: not allowed to fs:WriteObject" } },
    });
  });

  it("refuses with a reason what it does not know", async () => {
    const object = { type: "object", id: "r/a" };
    expect(await ask("fly", object)).toMatchObject({
      decision: false,
      context: { reason: "unknown_action" },
    });
    expect(await ask("fs:ReadObject", { type: "starship", id: "x" })).toMatchObject({
      decision: false,
      context: { reason: "unknown_resource" },
    });
    for (const subject of [
      { type: "user", id: "nobody" },
      { type: "robot", id: "alice" },
    ]) {
      expect(await ask("read", object, { subject })).toMatchObject({
        decision: false,
        context: { reason: "unknown_subject" },
      });
    }
  });

  it("refuses an id that would make the ARN ambiguous", async () => {
    for (const id of ["", "r", "/x", "r/"]) {
      await expect(ask("read", { type: "object", id })).rejects.toMatchObject({ code: "invalid_request" });
    }
  });

  it("reads the caller's address from the context; what is no address denies", async () => {
    const object = { type: "object", id: "r/a" };
    const from = (SourceIp: unknown) => ask("read", object, { context: { SourceIp } as Properties });
    expect(await from("10.1.2.3")).toEqual({ decision: true });
    expect((await from("10.9.2.3")).decision).toBe(false);
    expect((await from("no address")).decision).toBe(false);
    expect((await from({ an: "object" })).decision).toBe(false);
    expect((await from(null)).decision).toBe(true);
  });

  it("lets registered properties win and the request fill gaps", async () => {
    const record = (id: string, properties: Properties = {}) =>
      ask("read", { type: "record", id, properties });
    expect((await record("one")).decision).toBe(true);
    expect((await record("two", { status: "active" })).decision).toBe(false);
    expect((await record("three", { status: "active" })).decision).toBe(true);
    expect((await record("one", { status: null })).decision).toBe(true);
    const subject = { type: "user", id: "alice", properties: { department: "none" } };
    expect((await ask("read", { type: "record", id: "one" }, { subject })).decision).toBe(true);
  });

  it("explains when asked, and only then", async () => {
    const { context } = await ask("read", { type: "object", id: "r/a" }, { explain: true });
    expect(context?.explanation).toMatchObject({
      effect: "allow",
      determining: [{ policy: "Reads", statement: 0, via: [{ user: "alice" }] }],
      policies_version: world.decisions.policiesVersion,
    });
    expect(context?.explanation?.id).toBe(context?.id);
  });
});

describe("a user with more policies than allowed", () => {
  it("is denied everything, and somebody hears of it", async () => {
    const heard: unknown[] = [];
    await world.close();
    world = await openWorld({ policiesPerUser: 2, onTooMany: (found) => void heard.push(found) });
    const { users } = world.directory;
    await users.create({ username: "alice" });
    for (const name of ["one", "two", "three"]) {
      await world.grant(name, "fs:*");
      await users.attachPolicy("alice", name);
      expect(await world.allows("alice")).toBe(name !== "three");
    }
    expect(heard).toEqual([{ policies: 3 }]);
    await users.detachPolicy("alice", "two");
    expect(await world.allows("alice")).toBe(true);
  });

  it.each([
    [[], "deny"],
    [["one"], "allow"],
  ] as const)(
    "is denied everything in simulations of a change, too (without %j: %s)",
    async (remove, effect) => {
      await world.close();
      world = await openWorld({ policiesPerUser: 2 });
      const { users } = world.directory;
      await users.create({ username: "alice" });
      for (const name of ["one", "two"]) {
        await world.grant(name, "fs:*");
        await users.attachPolicy("alice", name);
      }
      const three = { name: "three", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] };
      const answer = await world.decisions.simulate({
        user: "alice",
        candidate: { replace: [three], remove },
        required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/x" },
        context: new Map(),
        explain: false,
        evaluator: "extended",
        requestId: "",
      });
      expect(answer).toMatchObject({ effect });
    },
  );
});

describe("the audit of decisions", () => {
  it.each([
    ["none", 0],
    ["denied", 1],
    ["all", 2],
  ] as const)("%s records %d of an allow and a refusal", async (decisions, expected) => {
    const records: unknown[] = [];
    await world.close();
    world = await openWorld({ audit: { decisions, decision: (record) => void records.push(record) } });
    await world.directory.users.create({ username: "alice" });
    await world.grant("Read", "fs:ReadObject");
    await world.directory.users.attachPolicy("alice", "Read");
    await world.allows("alice", "fs:ReadObject");
    await world.allows("alice", "fs:WriteObject");
    expect(records).toHaveLength(expected);
  });
});

describe("filter and simulate", () => {
  const simulate = (simulation: Partial<SimulationCase>) =>
    world.decisions.simulate({
      user: "alice",
      required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/x" },
      context: new Map(),
      explain: false,
      evaluator: "extended",
      requestId: "",
      ...simulation,
    });

  it("filters as single checks would say", async () => {
    const resources = ["r/a", "q/a", "r/b", ""].map((text) => `arn:svc:fs:::repository/${text}`);
    const request = { user: "alice", action: "fs:ReadObject", resources, context: new Map(), requestId: "" };
    expect(await world.decisions.filter(request)).toEqual([0, 2]);
    expect(await world.decisions.filter({ ...request, user: "nobody" })).toEqual([]);
  });

  it("simulates from given policies alone, broken ones as they are", async () => {
    const policies = [{ name: "p", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] }];
    expect(await simulate({ policies })).toEqual({ effect: "allow" });
    expect(await simulate({ policies: [] })).toMatchObject({ effect: "neutral" });
    const broken = [
      ...policies,
      { name: "q", statement: [{ effect: "allow", action: ["x:y"], resource: "" }] },
    ];
    expect(await simulate({ policies: broken })).toMatchObject({ effect: "deny" });
    expect(
      await simulate({
        policies: broken,
        list: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r" },
      }),
    ).toEqual({ any_resource: true, listed: true });
  });

  it("simulates a change of what a user has", async () => {
    const deny = { name: "Reads", statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }] };
    expect(await simulate({ candidate: { replace: [], remove: [] } })).toMatchObject({ effect: "allow" });
    expect(await simulate({ candidate: { replace: [], remove: ["Reads"] } })).toMatchObject({
      effect: "neutral",
    });
    expect(await simulate({ candidate: { replace: [deny], remove: [] } })).toMatchObject({ effect: "deny" });
    expect(await simulate({ user: "nobody", candidate: { replace: [], remove: [] } })).toMatchObject({
      effect: "neutral",
      reason: "unknown_user",
    });
  });

  it("a user name that is a wildcard gains nothing through ${user}, except as the data server would", async () => {
    const policies = [
      {
        name: "own",
        statement: [{ effect: "allow", action: ["fs:*"], resource: "arn:svc:fs:::repository/${user}" }],
      },
    ];
    const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/secret" };
    expect(await simulate({ user: "*", policies, required })).toMatchObject({ effect: "neutral" });
    expect(await simulate({ user: "*", policies, required, evaluator: "data_server" })).toEqual({
      effect: "allow",
    });
  });
});
