/** Every call of the client against a running service. */
import { getEventListeners } from "node:events";
import { AuthorizerClient, type ClientError } from "@svc-authorizer/client/client.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let authorizer: TestAuthorizer;
let client: AuthorizerClient;
beforeAll(async () => {
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
  client = authorizer.client;
});
afterAll(() => authorizer.close());

const OBJECT = "arn:svc:fs:::repository/r/object/o";
const question = (user: string, action: string) => ({
  subject: { type: "user", id: user },
  action: { name: action },
  resource: { type: "arn", id: OBJECT },
});

describe("decisions", () => {
  it("allows and refuses", async () => {
    expect(await client.allows("viewer", "fs:ReadObject", OBJECT)).toBe(true);
    expect(await client.allows("viewer", "fs:WriteObject", OBJECT)).toBe(false);
    expect(await client.allows("nobody-of-that-name", "fs:ReadObject", OBJECT)).toBe(false);
  });

  it("checks trees", async () => {
    const both = ["fs:ReadObject", "fs:WriteObject"].map((action) => ({ action, resource: OBJECT }));
    expect((await client.check({ user: "viewer", required: { or: both } })).allowed).toBe(true);
    const refused = await client.check({ user: "viewer", required: { and: both } });
    expect(refused).toMatchObject({ allowed: false, effect: "neutral" });
    expect(refused.message).toContain("fs:WriteObject");
  });

  it("evaluates, also with the explanation", async () => {
    expect((await client.evaluate(question("viewer", "fs:ReadObject"))).decision).toBe(true);
    const explained = await client.evaluate(question("viewer", "fs:ReadObject"), { explain: true });
    expect(explained.context?.explanation?.determining[0]?.policy).toBeTypeOf("string");
  });

  it("evaluates many", async () => {
    const { action: _, ...rest } = question("viewer", "");
    const answers = await client.evaluateMany({
      ...rest,
      evaluations: [{ action: { name: "fs:ReadObject" } }, { action: { name: "fs:WriteObject" } }],
    });
    expect(answers.map(({ decision }) => decision)).toEqual([true, false]);
  });

  it("filters", async () => {
    const resources = [OBJECT, "arn:svc:fs:::repository/r/object/ü"];
    expect(await client.filter({ user: "viewer", action: "fs:ReadObject", resources })).toEqual([0, 1]);
    expect(await client.filter({ user: "viewer", action: "fs:WriteObject", resources })).toEqual([]);
  });

  it("decides requests to a data server", async () => {
    const path = "/api/v1/repositories/r/refs/main/objects";
    const answer = await client.request({
      user: "viewer",
      method: "GET",
      path,
      query: { path: "o" },
      api: "main",
    });
    expect(answer).toMatchObject({ operation: "getObject", allowed: true });
  });

  it("simulates one case or several", async () => {
    const required = { action: "fs:ReadObject", resource: OBJECT };
    expect((await client.simulate({ user: "x", policies: [], required })).allowed).toBe(false);
    const many = await client.simulate<{ results: never[] }>({
      cases: [{ user: "x", policies: [], required }],
    });
    expect(many.results).toHaveLength(1);
  });
});

describe("questions about many", () => {
  it("plans", async () => {
    const plan = await client.plan({
      user: "viewer",
      action: "fs:ReadObject",
      context: { SourceIp: "10.0.0.1" },
    });
    expect(plan.kind).toMatch(/always|conditional/);
  });

  it("lists who can, and what can be done", async () => {
    const users = await client.whoCan({ action: "fs:WriteObject", resource: OBJECT });
    expect(users.results.map(({ user }) => user)).not.toContain("viewer");
    const actions = await client.whatCan({ user: "viewer", resource: OBJECT });
    expect(actions.results).toContain("fs:ReadObject");
  });

  it("searches", async () => {
    const resource = { type: "arn", id: OBJECT };
    const subjects = await client.searchSubjects({
      subject: { type: "user" },
      action: { name: "fs:ReadObject" },
      resource,
    });
    expect(subjects.results).toContainEqual({ type: "user", id: "viewer" });
    const actions = await client.searchActions({ subject: { type: "user", id: "viewer" }, resource });
    expect(actions.results.length).toBeGreaterThan(0);
    const resources = await client.searchResources({
      subject: { type: "user", id: "viewer" },
      action: { name: "fs:ReadRepository" },
      resource: { type: "repository" },
    });
    expect(resources.results).toEqual([]);
  });

  it("reads the metadata", async () => {
    expect((await client.metadata()).access_evaluation_endpoint).toContain("/access/v1/evaluation");
  });
});

describe("questions of one tick", () => {
  it("are one request, each with its own answer", async () => {
    const sent: string[] = [];
    const counting = new AuthorizerClient({
      url: authorizer.url,
      token: authorizer.token,
      fetch: (input, init) => {
        sent.push(String(input));
        return fetch(input, init);
      },
    });
    const answers = await Promise.all([
      counting.allows("viewer", "fs:ReadObject", OBJECT),
      counting.allows("viewer", "fs:WriteObject", OBJECT),
      counting.allows("viewer", "fs:ReadObject", "arn:svc:fs:::repository/r/object/ü"),
    ]);
    expect(answers).toEqual([true, false, true]);
    expect(sent).toEqual([`${authorizer.url}/access/v1/evaluations`]);
  });

  it("fail alone where one of them is invalid", async () => {
    const answers = await Promise.allSettled([
      client.allows("viewer", "fs:ReadObject", OBJECT),
      client.allows("viewer", `fs:${"x".repeat(300)}`, OBJECT),
    ]);
    expect(answers[0]).toMatchObject({ status: "fulfilled", value: true });
    expect(answers[1]).toMatchObject({ status: "rejected", reason: { name: "ClientError", status: 400 } });
  });

  it("are ended one by one", async () => {
    const controller = new AbortController();
    const ended = client.allows("viewer", "fs:ReadObject", OBJECT, { signal: controller.signal });
    const other = client.allows("viewer", "fs:ReadObject", OBJECT);
    controller.abort(new Error("the page was closed"));
    await expect(ended).rejects.toThrow("the page was closed");
    expect(await other).toBe(true);
  });

  it("leave nothing on a signal that outlives them", async () => {
    const { signal } = new AbortController();
    const ask = () => client.allows("viewer", "fs:ReadObject", OBJECT, { signal });
    await Promise.all([ask(), ask()]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("an error", () => {
  const broken = (): AuthorizerClient =>
    new AuthorizerClient({ url: "http://127.0.0.1:1", token: "t", retries: 0 });

  it("is thrown, so that nothing is allowed", async () => {
    await expect(broken().allows("viewer", "fs:ReadObject", OBJECT)).rejects.toMatchObject({
      code: "unreachable",
      status: 0,
    });
  });

  it("is answered by the caller where he says how", async () => {
    const seen: ClientError[] = [];
    const careless = new AuthorizerClient({
      url: "http://127.0.0.1:1",
      token: "t",
      retries: 0,
      onError: (error, { action }) => {
        seen.push(error);
        return action === "fs:ReadObject";
      },
    });
    expect(await careless.allows("viewer", "fs:ReadObject", OBJECT)).toBe(true);
    expect(await careless.allows("viewer", "fs:WriteObject", OBJECT)).toBe(false);
    expect(seen.map(({ code }) => code)).toEqual(["unreachable", "unreachable"]);
  });

  it.each(["yes", 1, {}, Promise.resolve(false), undefined])(
    "is a refusal where the caller answers %s instead of true",
    async (answer) => {
      const onError = (() => answer) as unknown as () => boolean;
      const careless = new AuthorizerClient({ url: "http://127.0.0.1:1", token: "t", retries: 0, onError });
      expect(await careless.allows("viewer", "fs:ReadObject", OBJECT)).toBe(false);
    },
  );
});
