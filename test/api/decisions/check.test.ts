import { type RequiredPermissions, UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import { describe, expect, it } from "vitest";
import type { CheckRequest } from "../../../src/decisions/decisions.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

const asked: CheckRequest[] = [];
const service = await closedAfterAll(
  startService({
    around: (decisions) => ({
      ...decisions,
      check: (request) => {
        asked.push(request);
        return decisions.check(request);
      },
    }),
  }),
);

const PATH = "/access/v1/check";
const OPEN = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data/object/open" };
const SECRET = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data/object/secret" };
const OTHER = { action: "fs:DeleteObject", resource: "arn:svc:fs:::repository/other/object/a" };
const check = (required: unknown, more: object = {}) =>
  post(service, PATH, { user: "alice", required, ...more });

describe("a check", () => {
  it("is exactly {allowed, effect} when allowed", async () => {
    const answer = await check(OPEN);
    expect([answer.status, answer.text]).toEqual([200, '{"allowed":true,"effect":"allow"}']);
  });

  it("gives the text of the refusal", async () => {
    expect((await check(SECRET)).body).toMatchObject({
      allowed: false,
      effect: "deny",
      message: "insufficient permissions: denied permission to fs:*",
    });
    expect((await check(OTHER)).body).toMatchObject({
      allowed: false,
      effect: "neutral",
      message: "insufficient permissions: not allowed to fs:DeleteObject",
    });
  });

  it("of an unknown user is neutral", async () => {
    const answer = await post(service, PATH, { user: "nobody", required: OPEN });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ allowed: false, effect: "neutral", reason: "unknown_user" });
  });

  it("takes trees", async () => {
    const effect = async (required: unknown) => (await check(required)).body.effect;
    expect(await effect({ and: [OPEN, { or: [OTHER, OPEN] }] })).toBe("allow");
    expect(await effect({ and: [OPEN, OTHER] })).toBe("neutral");
    expect(await effect({ or: [OPEN, SECRET] })).toBe("deny");
    expect(await effect({ any_resource: { action: "fs:ReadObject" } })).toBe("allow");
    expect(await effect({ any_resource: { action: "fs:Fly" } })).toBe("neutral");
  });

  it.each<[RequiredPermissions]>([
    [{ and: [] }],
    [{ or: [] }],
    [{ and: [{ and: [] }] }],
    [{ or: [{ and: [] }] }],
    [{ and: [OPEN, { and: [] }] }],
  ])("of an empty requirement is neutral: %j", async (required) => {
    expect((await check(required)).body).toMatchObject({ allowed: false, effect: "neutral" });
  });

  it("explains the refusal of an unknown user, too", async () => {
    const required = { and: [OPEN, { or: [{ any_resource: { action: "fs:ListRepositories" } }] }] };
    const { body } = await post(service, PATH, { user: "nobody", required, explain: true });
    expect(body).toMatchObject({ allowed: false, reason: "unknown_user" });
    expect(body.explanation).toMatchObject({
      id: body.id,
      effect: "neutral",
      determining: [],
      tree: {
        effect: "neutral",
        and: [
          { ...OPEN, effect: "neutral" },
          { effect: "neutral", or: [{ effect: "neutral" }] },
        ],
      },
    });
  });

  it("explains", async () => {
    const { body } = await check(OPEN, { explain: true });
    expect(body.explanation).toMatchObject({ effect: "allow", determining: [{ policy: "Reads" }] });
    expect((await check(OPEN, { explain: false })).body.explanation).toBeUndefined();
  });

  it("passes the condition fields on", async () => {
    await check(OPEN, {
      context: {
        SourceIp: "10.0.0.1",
        flag: true,
        size: 1.5,
        none: null,
        tags: ["a", 1, false],
        subject: { team: { name: "x" } },
        __proto__x: "y",
      },
    });
    expect([...(asked.at(-1)?.context ?? [])]).toEqual([
      ["SourceIp", "10.0.0.1"],
      ["flag", "true"],
      ["size", "1.5"],
      ["tags", ["a", "1", "false"]],
      ["subject", UNREADABLE],
      ["subject.team", UNREADABLE],
      ["subject.team.name", "x"],
      ["__proto__x", "y"],
    ]);
    await post(
      service,
      PATH,
      `{"user":"alice","required":${JSON.stringify(OPEN)},"context":{"__proto__":{"a":"b"}}}`,
    );
    expect([...(asked.at(-1)?.context ?? [])]).toEqual([
      ["__proto__", UNREADABLE],
      ["__proto__.a", "b"],
    ]);
    expect((await check(OPEN, { context: null })).body.allowed).toBe(true);
  });
});

describe("a faulty check", () => {
  const deep = (levels: number): object => (levels === 0 ? OPEN : { and: [deep(levels - 1)] });

  it.each<[string, unknown, string[]]>([
    ["nothing", {}, ["/user", "/required"]],
    ["a list", [], [""]],
    ["null", null, [""]],
    ["an unknown field", { user: "alice", required: OPEN, users: 1 }, ["/users"]],
    ["a field that needs escaping", { user: "alice", required: OPEN, "a/b~c": 1 }, ["/a~1b~0c"]],
    ["a user that is a number", { user: 1, required: OPEN }, ["/user"]],
    ["a lone surrogate", { user: "\udc00", required: OPEN }, ["/user"]],
    ["explain as text", { user: "alice", required: OPEN, explain: "true" }, ["/explain"]],
    ["a context that is a list", { user: "alice", required: OPEN, context: [] }, ["/context"]],
    [
      "a list of lists in the context",
      { user: "alice", required: OPEN, context: { a: [[]] } },
      ["/context/a"],
    ],
    [
      "a field with more than a thousand values",
      { user: "alice", required: OPEN, context: { a: Array(1001).fill(1) } },
      ["/context/a"],
    ],
    [
      "a field of a long text",
      { user: "alice", required: OPEN, context: { a: ["x", "y".repeat(65_536)] } },
      ["/context/a"],
    ],
    [
      "a field with a long name",
      { user: "alice", required: OPEN, context: { a: { ["b".repeat(255)]: 1 } } },
      [`/context/a/${"b".repeat(255)}`],
    ],
    [
      "a context of six levels",
      { user: "alice", required: OPEN, context: { a: { b: { c: { d: { e: { f: 1 } } } } } } },
      ["/context/a/b/c/d/e"],
    ],
    ["an empty node", { user: "alice", required: {} }, ["/required"]],
    ["a text as node", { user: "alice", required: "fs:Read" }, ["/required"]],
    ["half a leaf", { user: "alice", required: { action: "a" } }, ["/required/resource"]],
    ["a leaf and more", { user: "alice", required: { ...OPEN, and: [] } }, ["/required/and"]],
    ["two forms", { user: "alice", required: { or: [], and: [] } }, ["/required"]],
    ["an unknown form", { user: "alice", required: { not: OPEN } }, ["/required/not"]],
    ["an and that is no list", { user: "alice", required: { and: OPEN } }, ["/required/and"]],
    [
      "an any_resource with a resource",
      { user: "alice", required: { any_resource: OPEN } },
      ["/required/any_resource/resource"],
    ],
    ["a fault inside", { user: "alice", required: { and: [OPEN, { or: [3] }] } }, ["/required/and/1/or/0"]],
    [
      "a long action",
      { user: "alice", required: { ...OPEN, action: "a".repeat(257) } },
      ["/required/action"],
    ],
    [
      "a long ARN",
      { user: "alice", required: { ...OPEN, resource: "a".repeat(4097) } },
      ["/required/resource"],
    ],
    [
      "several faults",
      { user: 1, x: 2, required: { action: 3, resource: 4 } },
      ["/x", "/user", "/required/action", "/required/resource"],
    ],
    ["too many nodes", { user: "alice", required: { or: new Array(1000).fill(OPEN) } }, ["/required/or/999"]],
    ["a deep tree", { user: "alice", required: deep(20) }, [""]],
  ])("with %s is 400 naming every problem by pointer", async (_title, body, pointers) => {
    const answer = await post(service, PATH, body);
    expect(answer.status).toBe(400);
    expect(answer.body.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual(pointers);
  });

  it("shows at most 100 problems", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
    expect((await post(service, PATH, many)).body.problems.length).toBe(100);
  });

  it("takes no query, which would be ignored", async () => {
    expect((await post(service, `${PATH}?explain=true`, { user: "alice", required: OPEN })).status).toBe(400);
  });
});
