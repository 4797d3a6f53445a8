import { describe, expect, it } from "vitest";
import type { RequestCheck } from "../../../src/decisions/requests.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

const asked: RequestCheck[] = [];
const service = await closedAfterAll(
  startService({
    s3Domains: ["s3.example.com"],
    around: (decisions) => ({
      ...decisions,
      request: (check) => {
        asked.push(check);
        return decisions.request(check);
      },
    }),
  }),
);

const PATH = "/access/v1/request";
const OBJECT = "arn:svc:fs:::repository/data/object/";
const GET = { user: "alice", method: "GET", api: "main" };
const OBJECTS = "/api/v1/repositories/data/refs/main/objects";

async function answered(body: object) {
  const { status, body: answer } = await post(service, PATH, body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}

/** Returns the pointers of the problems. A text is sent unchanged, for bodies that no object can express. */
async function pointers(body: object | string): Promise<string[]> {
  const { status, body: answer } = await post(service, PATH, body);
  expect(status, JSON.stringify(answer)).toBe(400);
  return answer.problems.map(({ pointer }: { pointer: string }) => pointer);
}

describe("a request", () => {
  it("is answered with its operation, what it needs and the decision", async () => {
    expect(await answered({ ...GET, path: OBJECTS, query: "path=a%2Fb" })).toEqual({
      operation: "getObject",
      required: { action: "fs:ReadObject", resource: `${OBJECT}a/b` },
      allowed: true,
      effect: "allow",
      id: expect.any(String),
    });
    expect(await answered({ ...GET, path: OBJECTS, query: "path=secret" })).toMatchObject({
      required: { action: "fs:ReadObject", resource: `${OBJECT}secret` },
      allowed: false,
      effect: "deny",
      message: "insufficient permissions: denied permission to fs:*",
    });
    expect(await answered({ ...GET, user: "carol", path: OBJECTS, query: "path=a" })).toMatchObject({
      allowed: false,
      effect: "neutral",
      message: "insufficient permissions: not allowed to fs:ReadObject",
    });
  });

  it("whose body lists nothing needs what its row requires besides, and is never allowed where that is nothing", async () => {
    const importing = {
      user: "importer",
      method: "POST",
      api: "main",
      path: "/api/v1/repositories/data/branches/main/import",
      body: { paths: [] },
    };
    const branch = "arn:svc:fs:::repository/data/branch/main";
    const { directory } = service;
    await directory.users.create({ username: "importer" });
    await directory.policies.create({
      name: "Imports",
      statement: [{ effect: "allow", action: ["fs:WriteObject", "fs:CreateCommit"], resource: branch }],
    });
    await directory.users.attachPolicy("importer", "Imports");
    expect(await answered(importing)).toMatchObject({
      operation: "importStart",
      required: {
        and: [
          { action: "fs:WriteObject", resource: branch },
          { action: "fs:CreateCommit", resource: branch },
        ],
      },
      effect: "allow",
    });
    const source = { path: "s3://b/p", destination: "x", type: "object" };
    expect(await answered({ ...importing, body: { paths: [source] } })).toMatchObject({ effect: "neutral" });
    const deleting = { ...importing, path: "/api/v1/repositories/data/branches/main/objects/delete" };
    expect(await answered(deleting)).toMatchObject({ operation: "deleteObjects", effect: "neutral" });
  });

  it("that needs nothing is allowed to every user", async () => {
    expect(await answered({ ...GET, user: "carol", path: "/api/v1/config/version" })).toMatchObject({
      operation: "getLakeFSVersion",
      required: null,
      allowed: true,
      effect: "allow",
    });
    expect(await answered({ ...GET, user: "ghost", path: "/api/v1/config/version" })).toMatchObject({
      allowed: false,
      effect: "neutral",
      reason: "unknown_user",
    });
  });

  it.each([
    ["/api/v1/nothing", "unknown_endpoint"],
    ["/", "unknown_endpoint"],
    ["/api/v1/repositories/a+b", "unreadable_request"],
    ["/api/v1/repositories/%", "unreadable_request"],
  ])("that no row answers is not allowed: %s", async (path, reason) => {
    expect(await answered({ ...GET, path })).toEqual({
      operation: null,
      required: null,
      allowed: false,
      effect: "neutral",
      reason,
      message: expect.stringMatching(/^insufficient permissions: /),
      id: expect.any(String),
    });
  });

  it("takes the query raw or as an object, a list for a repeated name", async () => {
    const queries: [unknown, string][] = [
      ["path=a%20b&x", "path=a%20b&x"],
      [{ path: "a b&+%/é", x: "" }, "path=a%20b%26%2B%25%2F%C3%A9&x="],
      [{ path: ["a", "b"], none: [] }, "path=a&path=b"],
      [{}, ""],
      ["", ""],
      [undefined, ""],
    ];
    for (const [query, raw] of queries) {
      await answered({ ...GET, path: OBJECTS, query });
      expect(asked.at(-1)?.request.query).toBe(raw);
    }
    const spaced = await answered({ ...GET, path: OBJECTS, query: { path: "a b+c" } });
    expect(spaced.required.resource).toBe(`${OBJECT}a b+c`);
    expect((await answered({ ...GET, path: OBJECTS, query: { path: ["a", "b"] } })).operation).toBe(null);
  });

  it("takes headers by name in any letter case", async () => {
    await answered({ ...GET, path: OBJECTS, headers: { "X-Thing": "1", host: "lake" } });
    const { header } = asked.at(-1)?.request ?? {};
    expect([header?.("x-thing"), header?.("host"), header?.("x-other"), header?.("__proto__")]).toEqual([
      "1",
      "lake",
      undefined,
      undefined,
    ]);
  });

  it("passes context, facts and request id on", async () => {
    const facts = { "pull_request.destination_branch": "main" };
    await post(
      service,
      PATH,
      { ...GET, path: OBJECTS, facts, context: { SourceIp: "10.0.0.1" } },
      { "x-request-id": "mine" },
    );
    const check = asked.at(-1);
    expect([...(check?.request.facts ?? [])]).toEqual(Object.entries(facts));
    expect([...(check?.context ?? [])]).toEqual([["SourceIp", "10.0.0.1"]]);
    expect(check).toMatchObject({ requestId: "mine", entrance: "request", items: "told" });
    const bob = { ...GET, user: "bob", path: OBJECTS, query: "path=a" };
    expect((await answered({ ...bob, context: { SourceIp: "10.0.0.1" } })).allowed).toBe(true);
    expect((await answered({ ...bob, context: { SourceIp: "11.0.0.1" } })).allowed).toBe(false);
  });

  it("is decided by its body where the row reads it, else by every resource that it could name", async () => {
    const create = { user: "alice", method: "POST", path: "/api/v1/auth/users", api: "main" };
    expect((await answered({ ...create, body: { id: "new" } })).required).toEqual({
      action: "auth:CreateUser",
      resource: "arn:svc:auth:::user/new",
    });
    expect((await answered(create)).required).toEqual({
      action: "auth:CreateUser",
      resource: "arn:svc:auth:::user/*",
    });
    const merge = {
      user: "alice",
      method: "PUT",
      path: "/api/v1/repositories/data/pulls/1/merge",
      api: "main",
    };
    const branch = async (more: object) => (await answered({ ...merge, ...more })).required.and[0].resource;
    expect(await branch({})).toBe("arn:svc:fs:::repository/data/branch/*");
    expect(await branch({ facts: { "pull_request.destination_branch": "main" } })).toBe(
      "arn:svc:fs:::repository/data/branch/main",
    );
  });

  it("tells of items that the caller has to check", async () => {
    const path = "/api/v1/repositories";
    expect(await answered({ ...GET, path })).toMatchObject({ allowed: false });
    await service.directory.policies.create({
      name: "Lists",
      statement: [{ effect: "allow", action: ["fs:List*"], resource: "arn:svc:fs:::repository/data" }],
    });
    await service.directory.users.attachPolicy("alice", "Lists");
    expect(await answered({ ...GET, path })).toMatchObject({
      operation: "listRepositories",
      required: { any_resource: { action: "fs:ListRepositories" } },
      allowed: true,
      per_item: {
        over: "results",
        action: "fs:ListRepositories",
        resource: "arn:svc:fs:::repository/{result.id}",
      },
    });
  });
});

describe("the API of a request has to be the one that it is for (spec/security §2.6)", () => {
  const S3 = { user: "alice", method: "GET", path: "/data/main/a", api: "gateway" };
  const signed = { authorization: "AWS4-HMAC-SHA256 Credential=x" };

  it.each<[string, object]>([
    ["nothing said", {}],
    ["the domain", { headers: { host: "s3.example.com" } }],
    ["a signature", { headers: signed }],
    ["a signature at another host", { headers: { Host: "lake", Authorization: "AWS key:signature" } }],
    ["a presigned query", { query: "X-Amz-Credential=x&X-Amz-Signature=y", headers: { host: "lake" } }],
    ["a bucket in the host", { path: "/main/a", headers: { host: "data.s3.example.com:443" } }],
    ["a bucket told", { path: "/main/a", bucket: "data" }],
    ["a bucket told twice", { path: "/main/a", bucket: "data", headers: { host: "data.s3.example.com" } }],
  ])("gateway: %s", async (_title, more) => {
    expect(await answered({ ...S3, ...more })).toMatchObject({
      operation: "GetObject",
      required: { action: "fs:ReadObject", resource: `${OBJECT}a` },
      allowed: true,
    });
  });

  it.each<[string, object, string[]]>([
    ["another host", { headers: { host: "lake" } }, ["/api"]],
    ["nearly the domain", { headers: { host: "S3.example.com" } }, ["/api"]],
    ["no host at all", { headers: { host: "" } }, ["/api"]],
    ["another bucket", { bucket: "x", headers: { host: "data.s3.example.com" } }, ["/bucket"]],
    ["no bucket in the host", { bucket: "x", headers: { host: "s3.example.com" } }, ["/bucket"]],
    ["a bucket that is no text", { bucket: 1 }, ["/bucket"]],
    ["a header as signature", { headers: { "x-amz-signature": "x" } }, ["/api"]],
  ])("not gateway: %s", async (_title, more, where) => {
    expect(await pointers({ ...S3, ...more })).toEqual(where);
  });

  it.each<[string, object]>([
    ["the domain", { headers: { host: "s3.example.com" } }],
    ["a bucket in the host", { headers: { host: "data.s3.example.com" } }],
    ["a signature", { headers: signed }],
    ["a signature behind blanks", { headers: { authorization: " \tAWS4-HMAC-SHA256 Credential=x" } }],
    ["X-Amz-Signature", { query: "X-Amz-Signature=x" }],
    ["X-Amz-Signature in an object", { query: { "X-Amz-Signature": "x" } }],
    ["X-Amz-Signature, escaped", { query: "%58-Amz-Signature=x" }],
    ["AWSAccessKeyId", { query: "AWSAccessKeyId=x" }],
  ])("neither main nor replication: %s", async (_title, more) => {
    for (const api of ["main", "replication"]) {
      expect(await pointers({ ...GET, path: OBJECTS, ...more, api }), api).toEqual(["/api"]);
    }
  });

  it("a bucket is the gateway's alone", async () => {
    expect(await pointers({ ...GET, path: OBJECTS, bucket: "data" })).toEqual(["/bucket"]);
  });
});

describe("a faulty request", () => {
  it.each<[string, unknown, string[]]>([
    ["nothing", {}, ["/api", "/method", "/path", "/user"]],
    ["a list", [], [""]],
    ["an unknown field", { ...GET, path: "/", explain: true }, ["/explain"]],
    [
      "faults everywhere",
      {
        user: 1,
        method: "a b",
        path: "x?#",
        query: [],
        headers: 1,
        facts: [],
        api: "s3",
        context: 1,
        more: 1,
      },
      ["/api", "/context", "/facts", "/headers", "/method", "/more", "/path", "/query", "/user"],
    ],
    ["an empty path", { ...GET, path: "" }, ["/path"]],
    ["a path with a query", { ...GET, path: "/a?b=c" }, ["/path"]],
    ["a path with a fragment", { ...GET, path: "/a#b" }, ["/path"]],
    ["a relative path", { ...GET, path: "api/v1" }, ["/path"]],
    ["an absolute form", { ...GET, path: "http://lake/api" }, ["/path"]],
    ["a long path", { ...GET, path: `/${"a".repeat(20_000)}` }, ["/path"]],
    ["a long query", { ...GET, path: "/", query: { a: "a".repeat(20_000) } }, ["/query"]],
    ["a fragment in the query", { ...GET, path: "/", query: "a#b" }, ["/query"]],
    ["a lone surrogate in the query", { ...GET, path: "/", query: { a: "\ud800" } }, ["/query/a"]],
    ["a name with a lone surrogate", { ...GET, path: "/", query: { "\ud800": "a" } }, ["/query"]],
    ["a number in a list", { ...GET, path: "/", query: { a: ["b", 1] } }, ["/query/a/1"]],
    ["an empty method", { ...GET, path: "/", method: "" }, ["/method"]],
    ["a header of two lines", { ...GET, path: "/", headers: { a: "b\nc" } }, ["/headers/a"]],
    ["a header without a name", { ...GET, path: "/", headers: { "": "b" } }, ["/headers/"]],
    ["a header with a blank", { ...GET, path: "/", headers: { "a ": "b" } }, ["/headers/a "]],
    [
      "headers that differ in case",
      { ...GET, path: "/", headers: { host: "a", Host: "a" } },
      ["/headers/Host"],
    ],
    [
      "members that differ in case",
      { ...GET, path: "/", body: { paths: ["a"], Paths: ["b"] } },
      ["/body/Paths"],
    ],
    [
      "members that differ in case, deep",
      { ...GET, path: "/", body: [{ a: { b: 1, B: 2 } }] },
      ["/body/0/a/B"],
    ],
  ])("with %s is 400 naming every problem by pointer", async (_title, body, where) => {
    expect(await pointers(body as object)).toEqual(where);
  });

  it.each<[string, string, string[]]>([
    ["a body", '"body":{"id":"a","id":"a"}', ["/body/id"]],
    ["a body, one escaped", '"body":{"id":"a","\\u0069d":"b"}', ["/body/id"]],
    ["headers", '"headers":{"host":"a","host":"b"}', ["/headers/host"]],
    ["the request", '"user":"bob"', ["/user"]],
    ["facts", '"facts":{"a":"b","a":"c"}', ["/facts/a"]],
  ])("that says something twice in %s is 400: JSON.parse would hide it", async (_title, twice, where) => {
    expect(await pointers(`{"user":"alice","method":"GET","path":"/","api":"main",${twice}}`)).toEqual(where);
  });

  it("members of other names are not taken for repeated", async () => {
    await answered({
      ...GET,
      path: "/",
      body: { a: [{ b: 1 }, { b: 2 }], c: { b: 1 } },
      facts: { a: "1", A: "2" },
    });
  });

  it("takes no query, which would be ignored", async () => {
    expect((await post(service, `${PATH}?explain=true`, { ...GET, path: "/" })).status).toBe(400);
  });
});
