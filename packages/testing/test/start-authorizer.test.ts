import { fileURLToPath } from "node:url";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, describe, expect, it } from "vitest";

const running: TestAuthorizer[] = [];
afterEach(() => Promise.all(running.splice(0).map((authorizer) => authorizer.close())));

async function start(options: Parameters<typeof startAuthorizer>[0] = {}): Promise<TestAuthorizer> {
  const authorizer = await startAuthorizer(options);
  running.push(authorizer);
  return authorizer;
}

const roles = fileURLToPath(new URL("../../../fixtures/datasets/roles.yaml", import.meta.url));
const object = "arn:svc:fs:::repository/r/object/o";

describe("the test kit", () => {
  it("starts the real service on free ports with a data set", async () => {
    const [one, two] = await Promise.all([start({ dataset: roles }), start({ dataset: roles })]);
    expect(one.url).not.toBe(two.url);
    const health = await fetch(`${one.url}/readyz`);
    expect(health.status).toBe(200);
    const metrics = await fetch(`${one.metricsUrl}/metrics`);
    expect(await metrics.text()).toContain("svc_authorizer_build_info");
  });

  it("takes a data set as a document", async () => {
    const { client } = await start({
      dataset: {
        format: 1,
        users: [{ username: "alice", policies: ["Read"] }],
        policies: [{ name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] }],
      },
    });
    expect(await client.allows("alice", "fs:ReadObject", object)).toBe(true);
    expect(await client.allows("alice", "fs:WriteObject", object)).toBe(false);
    expect(
      await client.check({ user: "bob", required: { action: "fs:ReadObject", resource: object } }),
    ).toMatchObject({
      allowed: false,
      effect: "neutral",
      reason: "unknown_user",
    });
  });

  it("refuses a faulty data set with every problem", async () => {
    const users = [{ username: "a*" }, { username: "b", groups: ["nowhere"] }];
    await expect(startAuthorizer({ dataset: { format: 1, users } })).rejects.toMatchObject({
      code: "invalid_request",
      problems: [{ pointer: "/users/0/username" }, { pointer: "/users/1/groups/0" }],
      message: expect.stringMatching(
        /^the data set has 2 problems; nothing was loaded\n {2}data set 1: \/users\/0\/username: .+\n {2}data set 1: \/users\/1\/groups\/0: /,
      ),
    });
  });

  it("takes configuration", async () => {
    const { client } = await start({
      config: { authorizer: { partition: "lakefs" } },
      dataset: { format: 1, preconfigured: true, users: [{ username: "alice", groups: ["Viewers"] }] },
    });
    const lakefs = object.replace("svc", "lakefs");
    expect(await client.allows("alice", "fs:ReadObject", lakefs)).toBe(true);
  });

  it("puts the directory back to its first state, any number of times", async () => {
    const policies = [
      { name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] },
    ];
    const authorizer = await start({
      dataset: { format: 1, users: [{ username: "alice", policies: ["Read"] }], policies },
    });
    const { client, directory } = authorizer;
    for (let round = 0; round < 3; round++) {
      expect(await client.allows("alice", "fs:ReadObject", object)).toBe(true);
      await directory.users.delete("alice");
      await directory.users.create({ username: "bob" });
      expect(await client.allows("alice", "fs:ReadObject", object)).toBe(false);
      await authorizer.reset();
    }
    expect(await client.allows("alice", "fs:ReadObject", object)).toBe(true);
    await expect(directory.users.get("bob")).rejects.toMatchObject({ code: "not_found" });
  });

  it("reports what the service refuses, with its problems", async () => {
    const { client } = await start();
    const faulty = { user: "alice", required: { action: "fs:ReadObject", resource: "x".repeat(5000) } };
    await expect(client.check(faulty)).rejects.toMatchObject({
      status: 400,
      problems: [expect.objectContaining({ pointer: "/required/resource" })],
    });
  });

  it("filters, evaluates and simulates through the client", async () => {
    const { client } = await start({ dataset: roles });
    const resources = [object, "arn:svc:auth:::user/viewer", "arn:svc:auth:::user/other"];
    expect(await client.filter({ user: "viewer", action: "auth:ListCredentials", resources })).toEqual([1]);
    const evaluation = { subject: { type: "user", id: "viewer" }, resource: { type: "object", id: "r/o" } };
    expect(await client.evaluate({ ...evaluation, action: { name: "read" } })).toEqual({ decision: true });
    const policies = [{ name: "p", statement: [{ effect: "allow", action: ["fs:*"], resource: object }] }];
    const required = { action: "fs:ReadObject", resource: object };
    expect(await client.simulate({ user: "x", policies, required })).toMatchObject({ allowed: true });
    const many = await client.evaluateMany({
      subject: { type: "user", id: "nobody" },
      action: { name: "read" },
      evaluations: [{ resource: { type: "object", id: "r/o" } }, { resource: { type: "object", id: "bad" } }],
    });
    expect(many).toMatchObject([
      { decision: false, context: { reason: "unknown_subject" } },
      { decision: false, context: { error: { status: 400 } } },
    ]);
  });

  it("knows a resource type as soon as it is declared, at every entrance", async () => {
    const { client, directory, url, token } = await start({
      dataset: {
        format: 1,
        users: [{ username: "alice", policies: ["All"] }],
        policies: [{ name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] }],
      },
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" };
    const streamed = async (type: string): Promise<string> => {
      const body = `${JSON.stringify({ user: "alice", action: "read", type })}\n"one"\n`;
      const response = await fetch(`${url}/access/v1/filter`, { method: "POST", headers, body });
      return response.text();
    };
    const declare = (type: string): Promise<unknown> =>
      directory.batches.apply(
        [
          {
            op: "put_resource_type",
            resourceType: {
              type,
              arn: `arn:svc:${type}:::${type}/{id}`,
              id: "{id}",
              actions: { read: `${type}:Read` },
            },
          },
        ],
        { managed: false },
      );
    expect(await client.filter({ user: "alice", action: "read", type: "memo", ids: ["one"] })).toEqual([]);
    await declare("memo");
    expect(await client.filter({ user: "alice", action: "read", type: "memo", ids: ["one"] })).toEqual([0]);
    await declare("note");
    expect(await streamed("note")).toContain('"allowed":1');
    await declare("page");
    const subject = { type: "user", id: "alice" };
    const evaluations = Array.from({ length: 20 }, () => ({ resource: { type: "page", id: "one" } }));
    const decided = await client.evaluateMany({ subject, action: { name: "read" }, evaluations });
    expect(decided.map(({ decision }) => decision)).toEqual(evaluations.map(() => true));
  });

  it("ends quietly when closed twice", async () => {
    const authorizer = await startAuthorizer();
    await authorizer.close();
    await authorizer.close();
    await expect(fetch(`${authorizer.url}/healthz`)).rejects.toThrow();
  });
});
