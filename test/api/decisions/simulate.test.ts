import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { SimulationCase } from "../../../src/decisions/decisions.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

let asked: SimulationCase[] = [];
beforeEach(() => {
  asked = [];
});
const service = await closedAfterAll(
  startService({
    around: (decisions) => ({
      ...decisions,
      simulate: (simulation) => {
        asked.push(simulation);
        return decisions.simulate(simulation);
      },
    }),
  }),
);

const PATH = "/access/v1/simulate";
const READ = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data/object/a" };
const allow = (action: string, resource = "*", condition?: object) => ({
  name: "given",
  statement: [
    { effect: "allow", action: [action], resource, ...(condition === undefined ? {} : { condition }) },
  ],
});
const simulate = (body: unknown) => post(service, PATH, body);

describe("a simulation", () => {
  it("decides from the given policies alone", async () => {
    const of = async (policies: unknown[]) =>
      (await simulate({ user: "alice", policies, required: READ })).body;
    expect(await of([allow("fs:*")])).toMatchObject({ allowed: true, effect: "allow" });
    expect(await of([])).toMatchObject({ allowed: false, effect: "neutral" });
  });

  it("needs no user of that name and no sound policy", async () => {
    const broken = { name: "broken", statement: [{ effect: "allow", action: ["x"], resource: "" }] };
    const answer = await simulate({ user: "nobody", policies: [broken], required: READ });
    expect(answer.body).toMatchObject({ effect: "deny", message: "insufficient permissions: not allowed" });
  });

  it("explains what a condition wanted and had, and names the statement that decided", async () => {
    const condition = { StringEquals: { "context.env": ["prod"] } };
    const named = (effect: string) => ({
      name: "given",
      statement: [
        { sid: "ReadAll", effect: "allow", action: ["fs:*"], resource: "*" },
        { sid: "OnlyProd", effect, action: ["fs:*"], resource: "*", condition },
      ],
    });
    const { body } = await simulate({
      user: "alice",
      policies: [named("deny")],
      required: READ,
      context: { "context.env": "prod" },
      explain: true,
    });
    expect(body.explanation.determining).toMatchObject([
      {
        policy: "given",
        statement: 1,
        sid: "OnlyProd",
        conditions: [
          {
            operator: "StringEquals",
            field: "context.env",
            wanted: ["prod"],
            given: "prod",
            result: "satisfied",
          },
        ],
      },
    ]);
  });

  it("refuses a text longer than a stored policy may be", async () => {
    const long = "?".repeat((100 << 10) + 1);
    for (const [policy, pointer] of [
      [allow(long), "/policies/0/statement/0/action/0"],
      [allow("fs:*", long), "/policies/0/statement/0/resource"],
      [allow("fs:*", "*", { StringLike: { a: [long] } }), "/policies/0/statement/0/condition/StringLike/a/0"],
    ] as const) {
      const { status, body } = await simulate({ user: "alice", policies: [policy], required: READ });
      expect([status, body.problems[0].pointer]).toEqual([400, pointer]);
    }
  });

  it.each<[string, object]>([
    ["actions", { action: Array.from({ length: 9_000 }, (_, index) => `fs:Read*a*${index}`) }],
    [
      "addresses",
      {
        condition: {
          IpAddress: { SourceIp: Array.from({ length: 9_000 }, (_, i) => `10.0.${i % 250}.0/24`) },
        },
      },
    ],
    ["resources", { resource: "*".repeat(102_398) }],
  ])("refuses a policy whose %s together are larger than a stored policy may be", async (_, large) => {
    const policy = {
      name: "large",
      statement: [{ effect: "allow", action: ["fs:*"], resource: "*", ...large }],
    };
    const message = "more than 102400 bytes; split the policy";
    for (const [given, pointer] of [
      [{ policies: [allow("fs:*"), policy] }, "/policies/1/statement"],
      [{ replace: [policy] }, "/replace/0/statement"],
      [{ candidate: { replace: [policy] } }, "/candidate/replace/0/statement"],
    ] as const) {
      const { status, body } = await simulate({ user: "alice", ...given, required: READ });
      expect([status, body.problems]).toEqual([400, [{ pointer, message }]]);
    }
    expect(asked).toEqual([]);
  });

  it("uses the extended evaluator unless told otherwise", async () => {
    const body = { user: "alice", policies: [allow("fs:*")], required: READ };
    for (const evaluator of [undefined, "extended", "data_server"]) await simulate({ ...body, evaluator });
    expect(asked.map(({ evaluator }) => evaluator)).toEqual(["extended", "extended", "data_server"]);
    const unknown = [allow("fs:*", "*", { Unheard: { team: ["a"] } })];
    expect((await simulate({ ...body, policies: unknown, evaluator: "data_server" })).body.effect).toBe(
      "deny",
    );
  });

  it("of an empty requirement is neutral, except as the data server would answer", async () => {
    const body = { user: "alice", policies: [allow("*")], required: { and: [] } };
    expect((await simulate(body)).body.effect).toBe("neutral");
    expect((await simulate({ ...body, evaluator: "data_server" })).body.effect).toBe("allow");
  });

  it("answers list filtering", async () => {
    const list = { action: "fs:ReadObject", resource: READ.resource };
    expect((await simulate({ user: "alice", policies: [allow("fs:Read*")], list })).body).toEqual({
      any_resource: true,
      listed: true,
    });
  });

  it.each([
    ["candidate", (change: object) => ({ user: "alice", candidate: change })],
    ["its fields beside the user", (change: object) => ({ user: "alice", ...change })],
    ["candidate with everything in it", (change: object) => ({ candidate: { user: "alice", ...change } })],
  ])("changes the policies of a real user: %s", async (_title, form) => {
    const secret = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data/object/secret" };
    const effect = async (change: object) =>
      (await simulate({ ...form(change), required: secret })).body.effect;
    expect(await effect({ remove: ["NoSecrets"] })).toBe("allow");
    expect(await effect({ replace: [{ name: "Reads", statement: [] }] })).toBe("deny");
    expect(await effect({ remove: ["NoSecrets"], replace: [{ name: "Reads", statement: [] }] })).toBe(
      "neutral",
    );
  });

  it("of a candidate for an inactive user is neutral, as a check is", async () => {
    const { provisioning } = service.directory;
    const { id } = await provisioning(() => false).createUser({ username: "left" });
    await provisioning(() => false).changeUser(id, (user) => ({ ...user, inactive: true }));
    const answer = await simulate({ user: "left", candidate: { replace: [allow("fs:*")] }, required: READ });
    expect(answer.body).toMatchObject({ allowed: false, effect: "neutral", reason: "unknown_user" });
    const list = await simulate({ user: "left", candidate: { replace: [allow("fs:*")] }, list: READ });
    expect(list.body).toMatchObject({ allowed: false, reason: "unknown_user" });
  });

  it.each([
    [null, ["/candidate expected an object"]],
    ["x", ["/candidate expected an object"]],
    [{ user: "alice" }, ["/candidate/user given twice"]],
  ])("is refused with a candidate %j beside a user, for what is wrong alone", async (candidate, expected) => {
    const { status, body } = await simulate({ user: "alice", candidate, required: READ });
    expect(status).toBe(400);
    const problems: readonly { pointer: string; message: string }[] = body.problems;
    expect(problems.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual(expected);
  });

  it("of a candidate for nobody is neutral", async () => {
    const answer = await simulate({ user: "nobody", candidate: { remove: [] }, required: READ });
    expect(answer.body).toMatchObject({ effect: "neutral", reason: "unknown_user" });
  });

  it("answers up to 1000 cases in order, with evaluator and explain for all of them", async () => {
    const cases = Array.from({ length: 1000 }, (_, index) => ({
      user: "alice",
      policies: index % 2 === 0 ? [allow("fs:*")] : [],
      required: READ,
    }));
    const answer = await simulate({ cases });
    expect(answer.body.results.map((result: { allowed: boolean }) => result.allowed)).toEqual(
      cases.map((_, index) => index % 2 === 0),
    );
    expect((await simulate({ cases: [...cases, cases[0]] })).status).toBe(400);
    const explained = await simulate({ cases: cases.slice(0, 2), explain: true, evaluator: "data_server" });
    expect(explained.body.results[1].explanation.effect).toBe("neutral");
    expect((await simulate({ cases: [] })).body).toEqual({ results: [] });
  });
});

it.each<[string, unknown, string[]]>([
  ["nothing", {}, ["/policies", "/required", "/user"]],
  ["no policies", { user: "a", required: READ }, ["/policies"]],
  ["policies and candidate", { user: "a", required: READ, policies: [], candidate: {} }, ["/policies"]],
  ["required and list", { user: "a", policies: [], required: READ, list: READ }, ["/list"]],
  ["another evaluator", { user: "a", policies: [], required: READ, evaluator: "x" }, ["/evaluator"]],
  [
    "an unknown field in a policy",
    { user: "a", policies: [{ name: "p", statement: [], x: 1 }], required: READ },
    ["/policies/0/x"],
  ],
  [
    "statements of wrong types",
    {
      user: "a",
      policies: [
        { name: "p", statement: [{ effect: 1, action: "a", resource: [], condition: { A: { b: "c" } } }] },
      ],
      required: READ,
    },
    [
      "/policies/0/statement/0/action",
      "/policies/0/statement/0/condition/A/b",
      "/policies/0/statement/0/effect",
      "/policies/0/statement/0/resource",
    ],
  ],
  [
    "an unknown field in candidate",
    { user: "a", candidate: { add: [] }, required: READ },
    ["/candidate/add"],
  ],
  [
    "a fault in a case",
    { cases: [{ user: "a", policies: [], required: READ }, { user: 1 }] },
    ["/cases/1/policies", "/cases/1/required", "/cases/1/user"],
  ],
  ["an empty case", { cases: [{}] }, ["/cases/0/policies", "/cases/0/required", "/cases/0/user"]],
  ["a case that is a text", { cases: ["x"] }, ["/cases/0"]],
  ["fields beside cases", { cases: [], user: "a" }, ["/user"]],
])("a simulation with %s is 400 naming every problem by pointer", async (_title, body, pointers) => {
  const answer = await simulate(body);
  expect(answer.status).toBe(400);
  expect(answer.body.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual(pointers);
});

describe("the public vectors", () => {
  const corpus = JSON.parse(
    readFileSync(new URL("../../../fixtures/decisions/evaluation-vectors.json", import.meta.url), "utf8"),
  );

  it("hold over HTTP", async () => {
    const { vectors } = corpus;
    const cases = vectors.map(({ user, policies, required, context }: Record<string, unknown>) => ({
      user,
      policies,
      required,
      context,
    }));
    const { body } = await simulate({ cases, evaluator: "data_server" });
    const seen = body.results.map((result: { effect: string; message?: string }, index: number) => ({
      id: vectors[index].id,
      effect: result.effect,
      message: result.message,
    }));
    expect(vectors.length).toBeGreaterThan(100);
    expect(seen).toEqual(
      vectors.map(({ id, expected, message }: Record<string, string>) => ({ id, effect: expected, message })),
    );
  });

  it("of list filtering hold over HTTP", async () => {
    const vectors = corpus.filter_vectors;
    const cases = vectors.map(({ user, policies, action, resource }: Record<string, unknown>) => ({
      user,
      policies,
      list: { action, resource },
    }));
    const { body } = await simulate({ cases, evaluator: "data_server" });
    expect(body.results).toEqual(
      vectors.map((vector: { expected_any_resource: boolean; expected_listed: boolean }) => ({
        any_resource: vector.expected_any_resource,
        listed: vector.expected_listed,
      })),
    );
  });
});
