import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { RequiredOnSets } from "@svc-authorizer/policy/model/resource-set.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { DecisionsOptions } from "../../src/decisions/open-decisions.ts";
import type { RequestCheck } from "../../src/decisions/requests.ts";
import type {
  Endpoints,
  MatchedRequest,
  PerItem,
  UnmatchedRequest,
} from "../../src/request-map/endpoints.ts";
import { openWorld, type World } from "./world.ts";

const OBJECTS = "arn:svc:fs:::repository/data/object/";
const READ: RequiredOnSets = { action: "fs:ReadObject", resource: { parts: [`${OBJECTS}a`] } };
const WRITE_SOME: RequiredOnSets = { action: "fs:WriteObject", resource: { parts: [OBJECTS, ""] } };
const DELETE: PerItem = {
  over: "body.paths",
  action: "fs:DeleteObject",
  resource: `${OBJECTS}{path}`,
  all: { parts: [OBJECTS, ""] },
};
const LISTED: PerItem = {
  over: "results",
  action: "fs:ListRepositories",
  resource: "arn:svc:fs:::repository/{id}",
  all: { parts: ["arn:svc:fs:::repository/", ""] },
};

const row = (more: Partial<MatchedRequest>): MatchedRequest => ({
  operation: "op",
  authentication: "required",
  required: null,
  bodyMissing: false,
  ...more,
});

/** Answers by path. */
const ROWS: Readonly<Record<string, MatchedRequest | UnmatchedRequest>> = {
  "/read": row({ required: READ }),
  "/open": row({ authentication: "none" }),
  "/open-but-needy": row({ authentication: "none", required: READ }),
  "/optional": row({ authentication: "optional" }),
  "/anybody": row({}),
  "/write": row({ required: WRITE_SOME, bodyMissing: true }),
  "/delete": row({ perItem: DELETE, bodyMissing: true }),
  "/list": row({ required: { any_resource: { action: "fs:ListRepositories" } }, perItem: LISTED }),
  "/list-without-gate": row({ perItem: LISTED }),
  "/import": row({ required: READ, perItem: DELETE, bodyMissing: true }),
  "/empty": row({ required: { and: [] } }),
  "/empty-inside": row({ required: { and: [READ, { or: [{ and: [] }] }] } }),
  "/odd": { operation: null, reason: "unreadable_request", message: "the path has a +" },
};
const UNKNOWN: UnmatchedRequest = {
  operation: null,
  reason: "unknown_endpoint",
  message: "no such endpoint",
};
const endpoints: Endpoints = {
  match: ({ path }) => ROWS[path] ?? UNKNOWN,
  requirement: () => null,
};

let world: World;
afterEach(() => world.close());

/** Alice with these statements, in a world with these options. */
async function openFor(statement: readonly Statement[], options: Partial<DecisionsOptions> = {}) {
  world = await openWorld({ endpoints, ...options });
  await world.directory.users.create({ username: "alice", properties: { team: "red" } });
  if (statement.length === 0) return;
  await world.directory.policies.create({ name: "p", statement });
  await world.directory.users.attachPolicy("alice", "p");
}

const allow = (action: string, resource: string, more: Partial<Statement> = {}): Statement => ({
  effect: "allow",
  action: [action],
  resource,
  ...more,
});
const deny = (action: string, resource: string): Statement => allow(action, resource, { effect: "deny" });

function request(path: string, more: Partial<RequestCheck> = {}) {
  return world.decisions.request({
    user: "alice",
    request: { api: "main", method: "GET", path, query: "", header: () => undefined },
    items: "required",
    missingBody: "every_resource",
    context: new Map(),
    entrance: "request",
    requestId: "r",
    ...more,
  });
}
const allowed = async (...asked: Parameters<typeof request>) => (await request(...asked)).allowed;

describe("what a row needs is decided", () => {
  it("allow, neutral and deny, each with an id and the tree", async () => {
    await openFor([allow("fs:Read*", `${OBJECTS}*`)]);
    expect(await request("/read")).toEqual({
      operation: "op",
      required: { action: "fs:ReadObject", resource: `${OBJECTS}a` },
      allowed: true,
      effect: "allow",
      id: expect.stringMatching(/^d-/),
    });
    expect(await request("/write")).toEqual({
      operation: "op",
      required: { action: "fs:WriteObject", resource: `${OBJECTS}*` },
      allowed: false,
      effect: "neutral",
      message: "insufficient permissions: not allowed to fs:WriteObject",
      id: expect.stringMatching(/^d-/),
    });
  });

  it("an open set needs all of it (spec/security §2.5)", async () => {
    await openFor([allow("fs:*", `${OBJECTS}*`), deny("fs:DeleteObject", `${OBJECTS}secret`)]);
    expect(await allowed("/write")).toBe(true);
    expect(await request("/delete")).toMatchObject({
      allowed: false,
      effect: "deny",
      message: "insufficient permissions: denied permission to fs:DeleteObject",
    });
  });

  it("the same with more statements than are decided at once", async () => {
    const others = Array.from({ length: 300 }, (_, index) => allow("fs:*", `${OBJECTS}x${index}*`));
    await openFor([...others, allow("fs:Write*", `${OBJECTS}*`)]);
    await request("/read");
    const late = request("/write");
    expect(late).toBeInstanceOf(Promise);
    expect((await late).allowed).toBe(true);
    expect(await allowed("/delete")).toBe(false);
  });

  it("at once where the user is cached and the set is small", async () => {
    await openFor([allow("fs:*", "*")]);
    await request("/read");
    for (const path of ["/read", "/write", "/anybody"]) expect(request(path)).not.toBeInstanceOf(Promise);
  });

  it("conditions read the context and registered properties", async () => {
    const ofTeam = { StringLike: { "subject.team": ["red"] }, IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    await openFor([allow("fs:*", "*", { condition: ofTeam })]);
    const inside = new Map([["SourceIp", "10.0.0.1"]]);
    expect(await allowed("/read", { context: inside })).toBe(true);
    expect(await allowed("/write", { context: inside })).toBe(true);
    expect(await allowed("/read")).toBe(false);
    const claimed = new Map([...inside, ["subject.team", "blue"]]);
    expect(await allowed("/read", { context: claimed })).toBe(true);
  });
});

describe("empty is never allow (spec/security §2.4)", () => {
  it("nobody passes only rows that are open", async () => {
    await openFor([]);
    const nobody = { user: undefined };
    expect(await request("/open", nobody)).toMatchObject({ allowed: true, effect: "allow", required: null });
    for (const path of ["/optional", "/anybody", "/read", "/write", "/delete", "/open-but-needy", "/empty"]) {
      expect(await request(path, nobody)).toMatchObject({
        allowed: false,
        effect: "neutral",
        reason: "unauthenticated",
      });
    }
  });

  it("rows without a permission let any user pass, and no other", async () => {
    await openFor([]);
    for (const path of ["/open", "/optional", "/anybody"]) {
      expect(await request(path)).toMatchObject({ allowed: true, required: null });
      expect(await request(path, { user: "ghost" })).toMatchObject({
        allowed: false,
        effect: "neutral",
        reason: "unknown_user",
        message: "insufficient permissions: unknown user",
      });
    }
  });

  it("an empty tree lets nobody pass, whatever the policies", async () => {
    await openFor([allow("*", "*")]);
    for (const path of ["/empty", "/empty-inside"]) {
      expect(await request(path)).toMatchObject({ allowed: false, effect: "neutral" });
    }
  });

  it("what no row answers, or cannot be read, is denied with its reason", async () => {
    await openFor([allow("*", "*")]);
    expect(await request("/nowhere")).toEqual({
      operation: null,
      required: null,
      allowed: false,
      effect: "neutral",
      reason: "unknown_endpoint",
      message: "insufficient permissions: no such endpoint",
      id: expect.any(String),
    });
    expect(await request("/odd", { user: undefined })).toMatchObject({
      allowed: false,
      reason: "unreadable_request",
      message: "insufficient permissions: the path has a +",
    });
  });
});

describe("checks of items", () => {
  const gate = [allow("fs:ListRepositories", "arn:svc:fs:::repository/data")];

  it("are told to a caller who sees the results and filters them", async () => {
    await openFor(gate);
    expect(await request("/list", { items: "told" })).toMatchObject({
      allowed: true,
      required: { any_resource: { action: "fs:ListRepositories" } },
      perItem: {
        over: "results",
        action: "fs:ListRepositories",
        resource: "arn:svc:fs:::repository/{id}",
      },
    });
    expect(await allowed("/list", { items: "told", user: "ghost" })).toBe(false);
  });

  it("are needed on every item where nobody filters", async () => {
    await openFor(gate);
    expect(await request("/list")).toMatchObject({
      allowed: false,
      required: {
        and: [
          { any_resource: { action: "fs:ListRepositories" } },
          { action: "fs:ListRepositories", resource: "arn:svc:fs:::repository/*" },
        ],
      },
    });
    expect((await request("/list")).perItem).toBeUndefined();
  });

  it("are needed on every item where they are all that is needed, or the items are in a body not at hand", async () => {
    await openFor([...gate, allow("fs:Read*", "*"), allow("fs:DeleteObject", `${OBJECTS}a`)]);
    for (const path of ["/list-without-gate", "/delete", "/import"]) {
      expect(await allowed(path, { items: "told" }), path).toBe(false);
    }
    await world.close();
    await openFor([allow("fs:*", "*")]);
    for (const path of ["/list-without-gate", "/delete", "/import", "/list"]) {
      expect(await allowed(path), path).toBe(true);
      expect(await request(path, { items: "told" }), path).toMatchObject({
        allowed: true,
        perItem: { over: expect.any(String) },
      });
    }
  });
});

describe("a body that is not at hand (authorizer.forward_auth.body)", () => {
  it("can be denied whatever the policies say", async () => {
    await openFor([allow("*", "*")]);
    for (const path of ["/write", "/delete", "/import"]) {
      expect(await allowed(path), path).toBe(true);
      expect(await request(path, { missingBody: "deny" }), path).toMatchObject({
        allowed: false,
        effect: "neutral",
        message: "insufficient permissions: the body that op is decided by is not at hand",
      });
    }
    expect(await allowed("/read", { missingBody: "deny" })).toBe(true);
  });
});

describe("a request that needs too much is refused", () => {
  const many: MatchedRequest = row({ required: { and: [{ or: new Array(11).fill(READ) }] } });
  const long: MatchedRequest = row({
    required: { and: [READ, { action: "fs:ReadObject", resource: { parts: [OBJECTS, "é".repeat(40)] } }] },
  });

  it.each([
    [many, "the request needs more than 10 permissions"],
    [long, "a resource of the request is longer than 100 bytes"],
  ])("%#", async (match, why) => {
    const requestLimits = { treeNodes: 10, arnBytes: 100, work: 5_000_000_000 };
    await openFor([allow("*", "*")], { endpoints: { ...endpoints, match: () => match }, requestLimits });
    expect(await request("/")).toMatchObject({
      allowed: false,
      effect: "neutral",
      message: `insufficient permissions: ${why}`,
    });
  });
});

it("every answer is counted under its entrance and audited", async () => {
  await openFor([allow("fs:Read*", `${OBJECTS}*`)], {
    audit: { decisions: "all", decision: (record) => void world.audited.push(record) },
  });
  const asked: [string, Partial<RequestCheck>][] = [
    ["/read", {}],
    ["/write", {}],
    ["/anybody", {}],
    ["/nowhere", {}],
    ["/read", { user: "ghost" }],
    ["/open", { user: undefined, entrance: "forward_auth" }],
    ["/write", { credential: { how: "signature", access_key_id: "AK" }, entrance: "forward_auth" }],
  ];
  const answers = [];
  for (const [path, more] of asked) answers.push(await request(path, more));
  expect(world.decisions.counters.decisions.request).toEqual({ allow: 2, neutral: 3, deny: 0 });
  expect(world.decisions.counters.decisions.forward_auth).toEqual({ allow: 1, neutral: 1, deny: 0 });
  expect(world.audited.map(({ id }) => id)).toEqual(answers.map(({ id }) => id));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
  expect(world.audited.map(({ user, operation, effect }) => [user, operation, effect])).toEqual([
    ["alice", "op", "allow"],
    ["alice", "op", "neutral"],
    ["alice", "op", "allow"],
    ["alice", null, "neutral"],
    ["ghost", "op", "neutral"],
    [null, "op", "allow"],
    ["alice", "op", "neutral"],
  ]);
  expect(world.audited.map(({ credential }) => credential)).toEqual([
    ...new Array(6).fill(undefined),
    { how: "signature", access_key_id: "AK" },
  ]);
  expect(world.audited[0]).toMatchObject({
    request_id: "r",
    entrance: "request",
    required: { action: "fs:ReadObject", resource: `${OBJECTS}a` },
  });
  expect(world.audited[2]?.required).toBe(null);
});

it("a request is decided anew after a write", async () => {
  await openFor([]);
  expect(await allowed("/write")).toBe(false);
  await world.grant("all", "fs:*");
  await world.directory.users.attachPolicy("alice", "all");
  expect(await allowed("/write")).toBe(true);
  await world.directory.users.delete("alice");
  expect(await request("/write")).toMatchObject({ reason: "unknown_user" });
});

it("whoever proved to be a user is not another user of that name", async () => {
  await openFor([{ effect: "allow", action: ["fs:*"], resource: "*" }]);
  const proved = (await world.directory.principal("alice"))?.id ?? "";
  expect(await request("/read", { userId: proved })).toMatchObject({ allowed: true });
  await world.directory.users.delete("alice");
  await world.directory.users.create({ username: "alice" });
  await world.grant("all", "fs:*");
  await world.directory.users.attachPolicy("alice", "all");
  expect(await request("/read")).toMatchObject({ allowed: true });
  expect(await request("/read", { userId: proved })).toMatchObject({
    allowed: false,
    reason: "unknown_user",
  });
  expect(await request("/anybody", { userId: proved })).toMatchObject({ allowed: false });
  const check = { user: "alice", required: { action: "fs:ReadObject", resource: `${OBJECTS}a` } };
  const asked = { context: new Map(), explain: false, entrance: "management", requestId: "" } as const;
  expect((await world.decisions.check({ ...check, ...asked })).effect).toBe("allow");
  expect(await world.decisions.check({ ...check, ...asked, userId: proved })).toMatchObject({
    effect: "neutral",
    reason: "unknown_user",
  });
});
