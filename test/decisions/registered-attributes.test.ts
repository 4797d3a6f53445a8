import type { FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { openWorld, type World } from "./world.ts";

const RECORD = "arn:svc:demo:::record/";
const VAULT = "arn:svc:fs:::repository/vault";
const CALL = { explain: false, requestId: "" } as const;
const PAGE = { limit: 10 };

function statement(effect: string, condition: Condition) {
  return { effect, action: ["demo:Read", "fs:ReadRepository"], resource: "*", condition };
}
const resource = (type: string, id: string, properties: Properties): BatchOperation => ({
  op: "put_resource",
  resource: { type, id, properties },
});

/** Open things may be read by whoever is not barred; what is registered says which these are. */
const DIRECTORY: readonly BatchOperation[] = [
  {
    op: "put_resource_type",
    resourceType: { type: "record", arn: `${RECORD}{id}`, id: "{id}", actions: { read: "demo:Read" } },
  },
  {
    op: "put_resource_type",
    resourceType: { type: "page", arn: `${RECORD}{of}/page/{page}`, id: "{of}/{page}", actions: {} },
  },
  resource("record", "open", { seal: { kind: "open" } }),
  resource("record", "secret", { seal: { kind: "secret" } }),
  resource("record", "dotted", { "seal.kind": "secret" }),
  resource("record", "text", { seal: "secret" }),
  resource("record", "list", { seal: ["secret"] }),
  resource("record", "half", { seal: { kind: null } }),
  resource("record", "unsaid", { seal: null }),
  resource("record", "deep", { seal: { a: { b: { c: { d: { e: "secret" } } } } } }),
  resource("record", "open/page/1", { seal: { kind: "secret" } }),
  resource("page", "open/1", { seal: { kind: "open" } }),
  resource("repository", "vault", { seal: { kind: "secret" } }),
  { op: "put_user", user: { username: "alice", properties: { standing: { barred: false } } } },
  { op: "put_user", user: { username: "mallory", properties: { standing: { barred: true } } } },
  {
    op: "put_policy",
    policy: {
      name: "ReadOpen",
      statement: [
        statement("allow", { StringEquals: { "resource.seal.kind": ["open"] } }),
        {
          ...statement("allow", { StringEquals: { "resource.seal.a.b.c.d.e": ["open"] } }),
          resource: `${RECORD}deep`,
        },
        statement("deny", { Bool: { "subject.standing.barred": ["true"] } }),
      ],
    },
  },
  { op: "attach_to_user", username: "alice", policy: "ReadOpen" },
  { op: "attach_to_user", username: "mallory", policy: "ReadOpen" },
];

async function filledWorld(requestProperties: "fill" | "override"): Promise<World> {
  const world = await openWorld({ requestProperties });
  await world.directory.batches.apply(DIRECTORY, { managed: false });
  return world;
}

/** Every way to say that the resource is open. */
const CLAIMS: readonly Properties[] = [
  { seal: { kind: "open" } },
  { "seal.kind": "open" },
  { "seal.kind": "open", seal: { kind: "open" } },
  { seal: null, "seal.kind": "open" },
  { "seal.a": { "b.c": { "d.e": "open" } }, "seal.a.b.c.d.e": "open" },
];

function fieldsOf(claim: Properties): ReadonlyMap<string, FieldValue> {
  return new Map<string, FieldValue>([
    ["resource.seal.kind", "open"],
    ["resource.seal.a.b.c.d.e", "open"],
    ...Object.keys(claim).map((name) => [`resource.${name}`, "open"] as const),
  ]);
}

/** Returns the answers of every API about a user and a resource about which the request makes a claim. */
async function sayings(world: World, user: string, id: string, claim: Properties) {
  const { decisions } = world;
  const arn = RECORD + id;
  const subject = { type: "user", id: user };
  const context = fieldsOf(claim);
  const required = { action: "demo:Read", resource: arn };
  const named = { type: "record", id, properties: claim };
  const byArn = { type: "arn", id: arn, properties: claim };
  const evaluate = async (asked: typeof named) => {
    const action = { name: "demo:Read" };
    return (await decisions.evaluate({ subject, action, resource: asked, entrance: "evaluation", ...CALL }))
      .decision;
  };
  const check = async (tree: Parameters<typeof decisions.check>[0]["required"]) =>
    (await decisions.check({ user, required: tree, context, entrance: "check", ...CALL })).effect === "allow";
  const simulated = await decisions.simulate({
    user,
    required,
    context,
    evaluator: "extended",
    candidate: { replace: [], remove: [] },
    ...CALL,
  });
  const action = { name: "demo:Read" };
  const page = PAGE;
  const { searches } = decisions;
  const filtered = { user, action: "demo:Read", resources: [arn, arn], context, requestId: "" };
  return {
    evaluation: await evaluate(named),
    "evaluation by ARN": await evaluate(byArn),
    check: await check(required),
    "check of a tree": await check({ and: [{ ...required, resource: `${RECORD}open` }, required] }),
    filter: (await decisions.filter(filtered)).length === 2,
    simulate: "effect" in simulated && simulated.effect === "allow",
    "search for subjects": (
      await searches.subjects({ subject: { type: "user" }, action, resource: named, page })
    ).results.some((one) => one.id === user),
    "search for resources": (
      await searches.resources({ subject, action, resource: { type: "record", properties: claim }, page })
    ).results.some((one) => one.id === id),
    "search for actions": (await searches.actions({ subject, resource: named, page })).results.some(
      ({ name }) => name === "read",
    ),
    "who-can": (await searches.whoCan({ ...required, context, page })).results.some(
      (one) => one.user === user,
    ),
    "what-can": (await searches.whatCan({ user, resource: arn, context, page })).results.includes(
      "demo:Read",
    ),
    "always by plan": (await searches.plan({ user, action: "demo:Read", context })).kind === "always",
  };
}

describe("registered attributes", () => {
  let world: World;
  beforeAll(async () => {
    world = await filledWorld("fill");
  });
  afterAll(() => world.close());

  it.each(
    ["secret", "dotted", "text", "list", "half", "deep"].flatMap((id) =>
      CLAIMS.map((claim) => [id, claim] as const),
    ),
  )("of record %s are not undone by %j at any entrance", async (id, claim) => {
    const said = Object.entries(await sayings(world, "alice", id, claim));
    expect(said.filter(([, allowed]) => allowed)).toEqual([]);
  });

  it("count at every entrance, by type and by ARN alike", async () => {
    const { "always by plan": _, ...said } = await sayings(world, "alice", "open", {
      seal: { kind: "secret" },
    });
    for (const [entrance, allowed] of Object.entries(said))
      expect([entrance, allowed]).toEqual([entrance, true]);
  });

  it("leave a gap to the request where they are null", async () => {
    const { evaluation, check } = await sayings(world, "alice", "unsaid", { seal: { kind: "open" } });
    expect([evaluation, check]).toEqual([true, true]);
  });

  it("of a user are not undone by a path", async () => {
    for (const properties of [{ "standing.barred": false }, { standing: { barred: false } }]) {
      const { decision } = await world.decisions.evaluate({
        subject: { type: "user", id: "mallory", properties },
        action: { name: "read" },
        resource: { type: "record", id: "open" },
        entrance: "evaluation",
        ...CALL,
      });
      expect(decision).toBe(false);
    }
    const context = new Map([["subject.standing.barred", "false"]]);
    const question = { action: "demo:Read", resource: `${RECORD}open`, context };
    const found = await world.decisions.searches.whoCan({ ...question, page: PAGE });
    expect(found.results.map(({ user }) => user)).toEqual(["alice"]);
  });

  it("are those of the named type, else of the type whose template has most of the ARN", async () => {
    const read = async (asked: { type: string; id: string }) =>
      (
        await world.decisions.evaluate({
          subject: { type: "user", id: "alice" },
          action: { name: "demo:Read" },
          resource: asked,
          entrance: "evaluation",
          ...CALL,
        })
      ).decision;
    expect(await read({ type: "page", id: "open/1" })).toBe(true);
    expect(await read({ type: "arn", id: `${RECORD}open/page/1` })).toBe(true);
    expect(await read({ type: "record", id: "open/page/1" })).toBe(false);
  });

  it("count for requests of a data server", async () => {
    const answer = await world.decisions.request({
      user: "alice",
      request: {
        api: "main",
        method: "GET",
        path: "/api/v1/repositories/vault",
        query: "",
        header: () => undefined,
      },
      items: "told",
      missingBody: "every_resource",
      context: new Map([["resource.seal.kind", "open"]]),
      entrance: "request",
      requestId: "",
    });
    expect(answer).toMatchObject({ required: { resource: VAULT }, allowed: false });
  });

  it("give way where the request overrides them", async () => {
    const other = await filledWorld("override");
    try {
      const said = await sayings(other, "alice", "secret", { "seal.kind": "open" });
      expect(said).toMatchObject({ evaluation: true, check: true, filter: true, "who-can": true });
    } finally {
      await other.close();
    }
  });
});
