/** Tokens of an identity provider behind a proxy (spec/security §7): what they are good for, and what they are not. */

import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKey, TestIssuer } from "../../identity/oidc/issuer.ts";
import { type Answer, ask } from "./ask.ts";

const PATH = "/api/v1/repositories/data/branches";
const reads = (name: string, resource: string) => ({
  name,
  statement: [{ effect: "allow", action: ["fs:ReadRepository", "fs:ListBranches"], resource }],
});
let issuer: TestIssuer;
let service: TestAuthorizer;
let strict: TestAuthorizer;

async function start(
  more: object,
  unknown: "deny" | "from_request" = "from_request",
): Promise<TestAuthorizer> {
  const shared = { issuer: issuer.url, audience: "authorizer", assert_groups: ["team-*"] };
  return startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "alice", policies: ["Reads"] }, { username: "idle" }],
      groups: [
        { name: "team-data", policies: ["Reads"] },
        { name: "Admins", policies: ["Reads"] },
      ],
      policies: [reads("Reads", "*")],
    },
    config: {
      "authorizer.forward_auth.proxy": "nginx",
      "authorizer.subjects.unknown": unknown,
      "authorizer.oidc.issuers": [{ name: "corp", ...shared, ...more }],
    } as never,
  });
}

beforeAll(async () => {
  issuer = await TestIssuer.start(await newKey("k"));
  service = await start({});
  strict = await start({ directory_users: true }, "deny");
});
afterAll(async () => {
  await service.close();
  await strict.close();
  await issuer.stop();
});

function behind(
  on: TestAuthorizer,
  headers: readonly (readonly [string, string])[],
  path = PATH,
): Promise<Answer> {
  return ask(on.url, "/forward-auth", [
    ["Host", "authorizer"],
    ["X-Original-Method", "GET"],
    ["X-Original-URI", path],
    ["X-Original-Host", "data.example.com"],
    ...headers,
  ]);
}

const bearer = (token: string) => [["Authorization", `Bearer ${token}`]] as const;

async function statusOf(on: TestAuthorizer, claims: Record<string, unknown>, path = PATH): Promise<number> {
  return (await behind(on, bearer(await issuer.token(claims)), path)).status;
}

describe("a token of an issuer", () => {
  it("passes with the policies of its groups, and the answer names its subject", async () => {
    const answer = await behind(
      service,
      bearer(await issuer.token({ sub: "zoe@corp", groups: ["team-data", "x"] })),
    );
    expect([answer.status, answer.headers["x-svc-user"]]).toEqual([200, "zoe@corp"]);
  });

  it("passes with no other groups", async () => {
    expect(await statusOf(service, { groups: ["Admins"] })).toBe(403);
    expect(await statusOf(service, { groups: ["team-none"] })).toBe(403);
    expect(await statusOf(service, {})).toBe(403);
    expect(await statusOf(service, { groups: { 0: "team-data" } })).toBe(403);
  });

  it("without a group that counts passes nowhere, also where any user may", async () => {
    expect(await statusOf(service, {}, "/api/v1/user")).toBe(403);
    expect(await statusOf(service, { groups: ["team-data"] }, "/api/v1/user")).toBe(200);
  });

  it("does not stand for a user of the directory, unless the configuration says so", async () => {
    for (const groups of [undefined, ["team-data"]]) {
      expect(await statusOf(service, { sub: "alice", groups })).toBe(403);
      expect(await statusOf(service, { sub: "idle", groups })).toBe(403);
      expect(await statusOf(strict, { sub: "alice", groups })).toBe(200);
      expect(await statusOf(strict, { sub: "idle", groups })).toBe(403);
    }
  });

  it("never stands for a user that works for the service itself: nobody can sign in as it", async () => {
    const policy = { statement: reads("", "*").statement } as const;
    for (const on of [service, strict]) {
      const made = { username: "mirror-x", worksFor: "m-1", policy: policy as never };
      const { key } = await on.directory.serviceUsers.createKey(made, 3_600);
      for (const groups of [undefined, ["team-data"]])
        expect(await statusOf(on, { sub: "mirror-x", groups })).toBe(403);
      const token = await issuer.token({ sub: "mirror-x" });
      const required = { action: "fs:ReadRepository", resource: "arn:svc:fs:::repository/data" };
      const asked = { user: "mirror-x", token, required };
      expect(await on.client.check(asked as never)).toMatchObject({ allowed: false, reason: "unknown_user" });
      // The service's own key goes on.
      const basic = Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString("base64");
      expect((await behind(on, [["Authorization", `Basic ${basic}`]])).status).toBe(200);
    }
  });

  it("gives nothing to an unknown subject where those are denied", async () => {
    expect(await statusOf(strict, { groups: ["team-data"] })).toBe(403);
  });

  it("that does not hold is 401", async () => {
    expect(await statusOf(service, { exp: Math.floor(Date.now() / 1000) - 60, groups: ["team-data"] })).toBe(
      401,
    );
    expect(await statusOf(service, { aud: "other", groups: ["team-data"] })).toBe(401);
    expect(await statusOf(service, { iss: "https://elsewhere", groups: ["team-data"] })).toBe(401);
  });

  it("is none in a cookie, for the service listener, and for the management API", async () => {
    const token = await issuer.token({ sub: "alice", groups: ["team-data"] });
    expect((await behind(service, [["Cookie", `access_token=${token}`]])).status).toBe(401);
    expect((await behind(strict, [["Cookie", `access_token=${token}`]])).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${strict.url}/api/v1/auth/users`, { headers })).status).toBe(401);
    expect((await fetch(`${strict.userUrl}/api/v1/auth/users`, { headers })).status).toBe(401);
  });

  it("beside another credential is refused", async () => {
    const token = await issuer.token({ groups: ["team-data"] });
    const answer = await behind(service, [...bearer(token), ["Cookie", "access_token=x"]]);
    expect(answer.status).toBe(401);
  });

  it("is refused while the issuer cannot be asked for its keys", async () => {
    const other = await TestIssuer.start(await newKey("k"));
    const token = await other.token({ groups: ["team-data"] });
    const alone = await start({ issuer: other.url });
    await other.stop();
    try {
      expect((await behind(alone, bearer(token))).status).toBe(503);
    } finally {
      await alone.close();
    }
  });
});
