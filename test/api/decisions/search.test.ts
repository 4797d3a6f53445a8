import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../../src/directory/batch.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import type { Answer } from "../../http/call.ts";
import { post, startService } from "../../http/service-kit.ts";

const SUBJECT = "/access/v1/search/subject";
const RESOURCE = "/access/v1/search/resource";
const ACTION = "/access/v1/search/action";
const READ_DATA = {
  subject: { type: "user" },
  action: { name: "fs:ReadRepository" },
  resource: { type: "repository", id: "data" },
};
const OF_ALICE = {
  subject: { type: "user", id: "alice" },
  action: { name: "read" },
  resource: { type: "repository" },
};

const service = await closedAfterAll(startService());
beforeAll(async () => {
  const users = ["ada", "bea", "cyd", "dan", "eve"];
  const operations: BatchOperation[] = users.flatMap((username) => [
    { op: "put_user", user: { username } },
    { op: "attach_to_user", username, policy: "Reads" },
  ]);
  const ids = ["data", "data-1", "data-2", "open", "other"];
  await service.directory.batches.apply(
    [
      ...operations,
      ...ids.map((id) => ({ op: "put_resource" as const, resource: { type: "repository", id } })),
    ],
    { managed: false },
  );
});

const ids = ({ body }: Answer): string[] => body.results.map(({ id }: { id: string }) => id);

describe("a search", () => {
  it("answers with the page first, and the total where the page is the only one", async () => {
    const answer = await post(service, SUBJECT, READ_DATA);
    expect(answer.text.startsWith('{"page":{"next_token":"","count":6,"total":6},"results":[')).toBe(true);
    expect(answer.body.results[0]).toEqual({ type: "user", id: "ada" });
    expect(ids(answer)).toEqual(["ada", "alice", "bea", "cyd", "dan", "eve"]);
  });

  it("goes on page by page to the end", async () => {
    const found: string[] = [];
    let page: object = { limit: 4 };
    for (;;) {
      const answer = await post(service, SUBJECT, { ...READ_DATA, page });
      found.push(...ids(answer));
      const { next_token, count, total } = answer.body.page;
      expect(count).toBe(ids(answer).length);
      expect(total).toBeUndefined();
      if (next_token === "") break;
      page = { token: next_token };
    }
    expect(found).toEqual(["ada", "alice", "bea", "cyd", "dan", "eve"]);
  });

  it("ends without a token when the last page is exactly full", async () => {
    const first = await post(service, SUBJECT, { ...READ_DATA, page: { limit: 3 } });
    const { next_token } = first.body.page;
    const second = await post(service, SUBJECT, { ...READ_DATA, page: { limit: 3, token: next_token } });
    expect(second.body.page).toEqual({ next_token: "", count: 3 });
  });

  it("ignores the id of what is searched for, and so does its token", async () => {
    const other = { ...READ_DATA, subject: { type: "user", id: "alice" } };
    const first = await post(service, SUBJECT, { ...other, page: { limit: 2 } });
    expect(ids(first)).toEqual(["ada", "alice"]);
    const { next_token: token } = first.body.page;
    const second = await post(service, SUBJECT, { ...READ_DATA, ignored: 1, page: { token, sort: "up" } });
    expect(ids(second)).toEqual(["bea", "cyd"]);
  });

  it("finds registered resources and the actions of a type", async () => {
    expect(ids(await post(service, RESOURCE, OF_ALICE))).toEqual(["data", "data-1", "data-2", "open"]);
    const { body } = await post(service, ACTION, {
      subject: OF_ALICE.subject,
      resource: { type: "object", id: "data/a" },
    });
    expect(body.results).toContainEqual({ name: "read" });
    expect(body.results).not.toContainEqual({ name: "write" });
    expect(body.page.total).toBe(body.results.length);
    const arn = { type: "arn", id: "arn:svc:fs:::repository/data/object/a" };
    const named = await post(service, ACTION, { subject: OF_ALICE.subject, resource: arn });
    expect(named.body.results).toContainEqual({ name: "fs:ReadObject" });
  });

  it.each([
    [SUBJECT, { ...READ_DATA, subject: { type: "spaceship" } }],
    [SUBJECT, { ...READ_DATA, action: { name: "fly" } }],
    [SUBJECT, { ...READ_DATA, resource: { type: "spaceship", id: "x" } }],
    [RESOURCE, { ...OF_ALICE, subject: { type: "user", id: "nobody" } }],
    [RESOURCE, { ...OF_ALICE, subject: { type: "user", id: "no\nname" } }],
    [RESOURCE, { ...OF_ALICE, resource: { type: "spaceship" } }],
    [RESOURCE, { ...OF_ALICE, resource: { type: "arn" } }],
    [ACTION, { subject: { type: "user", id: "nobody" }, resource: { type: "repository", id: "data" } }],
    [ACTION, { subject: OF_ALICE.subject, resource: { type: "spaceship", id: "data" } }],
  ])("%s finds nothing for what is not known: %j", async (path, body) => {
    const answer = await post(service, path, body);
    expect(answer.body).toEqual({ page: { next_token: "", count: 0, total: 0 }, results: [] });
  });

  it("names everything that is missing", async () => {
    const { status, body } = await post(service, SUBJECT, {
      subject: {},
      resource: { type: "repository" },
      page: { limit: 0 },
    });
    expect(status).toBe(400);
    expect(body.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/action",
      "/page/limit",
      "/resource/id",
      "/subject/type",
    ]);
  });

  it.each([0, -1, 1.5, "1", true, [1]])("takes no limit of %j", async (limit) => {
    for (const [path, body] of [
      [SUBJECT, READ_DATA],
      ["/access/v1/who-can", { action: "fs:ReadObject", resource: "*" }],
    ] as const) {
      const answer = await post(service, path, { ...body, page: { limit } });
      expect([answer.status, answer.body.problems[0].pointer]).toEqual([400, "/page/limit"]);
    }
  });

  it.each([SUBJECT, ACTION])("%s refuses an id that makes the ARN ambiguous", async (path) => {
    const resource = { type: "branch", id: "no-slash" };
    const body = { ...OF_ALICE, action: { name: "read" }, resource };
    const answer = await post(service, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.problems[0].pointer).toBe("/resource/id");
  });

  it("echoes the request id", async () => {
    const answer = await post(service, SUBJECT, READ_DATA, { "x-request-id": "mine" });
    expect(answer.headers.get("x-request-id")).toBe("mine");
  });

  it("takes a higher limit than it serves, and a token carries it", async () => {
    const page = { limit: 5_000 };
    expect(ids(await post(service, SUBJECT, { ...READ_DATA, page }))).toHaveLength(6);
  });
});

describe("a page token", () => {
  const first = async (limit = 2, at = service): Promise<string> =>
    (await post(at, SUBJECT, { ...READ_DATA, page: { limit } })).body.page.next_token;

  it.each<[string, Record<string, unknown> & { page?: object }, string]>([
    ["another limit", { page: { limit: 3 } }, "/page/limit"],
    ["another action", { action: { name: "fs:ReadObject" } }, "/page/token"],
    ["another resource", { resource: { type: "repository", id: "data-1" } }, "/page/token"],
    ["a context", { context: { SourceIp: "10.0.0.1" } }, "/page/token"],
    ["other attributes", { subject: { type: "user", properties: { a: 1 } } }, "/page/token"],
  ])("is refused with %s", async (_what, change, pointer) => {
    const token = await first();
    const body = { ...READ_DATA, ...change, page: { ...change.page, token } };
    const answer = await post(service, SUBJECT, body);
    expect(answer.status).toBe(400);
    expect(answer.body.problems).toEqual([{ pointer, message: expect.any(String) }]);
  });

  it("is refused by another search", async () => {
    const token = await first();
    const answer = await post(service, RESOURCE, { ...OF_ALICE, page: { token } });
    expect(answer.body.problems[0].pointer).toBe("/page/token");
  });

  it.each(["", "x", "AAAA", "a".repeat(5_000)])("that is none is refused: %j", async (token) => {
    const answer = await post(service, SUBJECT, { ...READ_DATA, page: { token } });
    expect(answer.status).toBe(400);
  });

  it("holds at another listener exactly when it has the same key", async () => {
    const pageTokenKeys = [randomBytes(32)];
    const [one, same, other] = await Promise.all([
      startService({ pageTokenKeys }),
      startService({ pageTokenKeys }),
      startService(),
    ]);
    for (const username of ["ada", "bea"]) {
      await one.directory.users.create({ username });
      await one.directory.users.attachPolicy(username, "Reads");
    }
    const token = await first(1, one);
    expect(token).not.toBe("");
    const body = { ...READ_DATA, page: { token } };
    expect((await post(same, SUBJECT, body)).status).toBe(200);
    expect((await post(other, SUBJECT, body)).status).toBe(400);
    await Promise.all([one, same, other].map((each) => each.close()));
  });
});

describe("the native searches", () => {
  const resource = "arn:svc:fs:::repository/data/object/a";

  it("who-can tells users and why, page by page", async () => {
    const body = { action: "fs:ReadObject", resource };
    const first = await post(service, "/access/v1/who-can", { ...body, page: { limit: 2 } });
    expect(first.body.results).toEqual([
      { user: "ada", via: [{ user: "ada" }], policy: "Reads", statement: 0 },
      { user: "alice", via: [{ user: "alice" }], policy: "Reads", statement: 0 },
    ]);
    const { next_token: token } = first.body.page;
    const second = await post(service, "/access/v1/who-can", { ...body, page: { token } });
    expect(second.body.results[0].user).toBe("bea");
    const changed = { ...body, context: { a: 1 }, page: { token } };
    expect((await post(service, "/access/v1/who-can", changed)).status).toBe(400);
    const office = { ...body, context: { SourceIp: "10.0.0.1" } };
    const { body: there } = await post(service, "/access/v1/who-can", office);
    expect(there.results.map(({ user }: { user: string }) => user)).toContain("bob");
  });

  it("what-can tells actions, page by page", async () => {
    const body = { user: "alice", resource };
    const all = await post(service, "/access/v1/what-can", body);
    expect(all.body.results).toContain("fs:ReadObject");
    expect(all.body.results).not.toContain("fs:WriteObject");
    const total = all.body.results.length;
    const first = await post(service, "/access/v1/what-can", { ...body, page: { limit: 2 } });
    expect(first.body.page).toMatchObject({ count: 2, total });
    const { next_token: token } = first.body.page;
    const second = await post(service, "/access/v1/what-can", { ...body, page: { token, limit: 2 } });
    expect([...first.body.results, ...second.body.results]).toEqual(all.body.results.slice(0, 4));
  });

  it("plan tells patterns", async () => {
    const { body } = await post(service, "/access/v1/plan", { user: "alice", action: "fs:ReadObject" });
    expect(body).toEqual({
      kind: "conditional",
      allow: ["arn:svc:fs:::repository/data*"],
      deny: ["arn:svc:fs:::repository/data/object/secret*"],
      conditional: [],
    });
    const office = { user: "bob", action: "read", type: "object" };
    const there = { ...office, context: { SourceIp: "10.0.0.1" } };
    expect((await post(service, "/access/v1/plan", there)).body).toMatchObject({ kind: "always" });
    expect((await post(service, "/access/v1/plan", office)).body.conditional).toHaveLength(2);
    expect((await post(service, "/access/v1/plan", { ...office, type: "spaceship" })).body.kind).toBe(
      "never",
    );
  });

  it("say when a user is not known", async () => {
    const page = { next_token: "", count: 0, total: 0 };
    const what = await post(service, "/access/v1/what-can", { user: "nobody", resource });
    expect(what.body).toEqual({ results: [], page, reason: "unknown_user" });
    const plan = await post(service, "/access/v1/plan", { user: "nobody", action: "fs:ReadObject" });
    expect(plan.body).toMatchObject({ kind: "never", reason: "unknown_user" });
  });

  it("say so of an inactive user, too, as a check does", async () => {
    const provisioning = service.directory.provisioning(() => false);
    const { id } = await provisioning.createUser({ username: "gone" });
    await service.directory.users.attachPolicy("gone", "Reads");
    const question = { user: "gone", action: "fs:ReadObject" };
    expect((await post(service, "/access/v1/plan", question)).body.kind).not.toBe("never");
    await provisioning.changeUser(id, (user) => ({ ...user, inactive: true }));
    const required = { action: "fs:ReadObject", resource };
    const check = await post(service, "/access/v1/check", { user: "gone", required });
    expect(check.body).toMatchObject({ allowed: false, reason: "unknown_user" });
    const what = await post(service, "/access/v1/what-can", { user: "gone", resource });
    expect(what.body).toMatchObject({ results: [], reason: "unknown_user" });
    const plan = await post(service, "/access/v1/plan", question);
    expect(plan.body).toMatchObject({ kind: "never", reason: "unknown_user" });
  });

  it("take no query parameters", async () => {
    const body = { user: "alice", resource };
    expect((await post(service, "/access/v1/what-can?limit=1", body)).status).toBe(400);
  });
});

it("a search whose caller has gone ends, and its place is free", async () => {
  const waiting = Promise.withResolvers<AbortSignal>();
  const slow = await startService({
    limits: { bulkConcurrency: 1 },
    around: (decisions) => ({
      ...decisions,
      searches: {
        ...decisions.searches,
        whoCan: (_question, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
            waiting.resolve(signal as AbortSignal);
          }),
      },
    }),
  });
  try {
    const caller = new AbortController();
    const asked = fetch(`${slow.url}/access/v1/who-can`, {
      method: "POST",
      signal: caller.signal,
      headers: { authorization: `Bearer ${slow.token}`, "content-type": "application/json" },
      body: JSON.stringify({ action: "fs:ReadObject", resource: "*" }),
    });
    const signal = await waiting.promise;
    caller.abort();
    await expect(asked).rejects.toThrow();
    expect((await post(slow, SUBJECT, READ_DATA)).status).toBe(200);
    expect(signal.aborted).toBe(true);
    expect(slow.log.failures).toEqual([]);
  } finally {
    await slow.close();
  }
});
