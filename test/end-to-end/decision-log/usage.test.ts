import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { KEYS, type Management, startManagement } from "../../api/management/kit.ts";

/** Uses of a user. */
async function usesOf(kit: Management, user: string): Promise<number> {
  const answer = await kit.call("admin", "GET", `/auth/users?last_used=true&prefix=${user}`);
  expect(answer.status).toBe(200);
  const [found] = answer.json.results;
  expect(found.id).toBe(user);
  expect(found.last_used === undefined).toBe(found.uses === 0);
  return found.uses;
}

describe("last use, without a decision log", () => {
  let kit: Management;
  beforeAll(async () => {
    kit = await startManagement();
  });
  afterAll(() => kit.authorizer.close());

  const ask = (path: string, body: object) =>
    fetch(`${kit.authorizer.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${kit.authorizer.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const object = "arn:svc:fs:::repository/data/object/a";
  const ALICE = { type: "user", id: "target" };
  const RESOURCE = { type: "object", id: "data/a" };

  it.each([
    [
      "evaluation",
      "/access/v1/evaluation",
      { subject: ALICE, action: { name: "read" }, resource: RESOURCE },
      1,
    ],
    [
      "evaluations",
      "/access/v1/evaluations",
      {
        subject: ALICE,
        action: { name: "read" },
        evaluations: [{ resource: RESOURCE }, { resource: RESOURCE }],
      },
      2,
    ],
    [
      "check",
      "/access/v1/check",
      { user: "target", required: { action: "fs:ReadObject", resource: object } },
      1,
    ],
    [
      "an explained check",
      "/access/v1/check",
      { user: "target", required: { action: "fs:ReadObject", resource: object }, explain: true },
      1,
    ],
    [
      "a refusal",
      "/access/v1/check",
      { user: "target", required: { action: "fs:DeleteObject", resource: object } },
      1,
    ],
    [
      "filter",
      "/access/v1/filter",
      { user: "target", action: "fs:ReadObject", resources: [object, object] },
      2,
    ],
    [
      "simulate",
      "/access/v1/simulate",
      { cases: [{ user: "target", policies: [], required: { action: "fs:ReadObject", resource: object } }] },
      0,
    ],
    ["who-can", "/access/v1/who-can", { action: "fs:ReadObject", resource: object }, 0],
  ])("counts %s", async (_, path, body, more) => {
    const before = await usesOf(kit, "target");
    const answer = await ask(path, body);
    if (answer.status !== 200) expect(await answer.text()).toBe("");
    expect(await usesOf(kit, "target")).toBe(before + more);
  });

  it("counts what a data server asks about a user that it decides about by itself", async () => {
    const before = await usesOf(kit, "target");
    const answer = await fetch(`${kit.authorizer.url}/api/v1/auth/users/target/policies?effective=true`, {
      headers: { authorization: `Bearer ${kit.authorizer.token}` },
    });
    expect(answer.status).toBe(200);
    expect(await usesOf(kit, "target")).toBe(before + 1);
  });

  it("counts access keys of callers and of data servers, and none that only were tried", async () => {
    const keys = async () => {
      const answer = await kit.call("admin", "GET", "/auth/users/plain/credentials?last_used=true");
      return answer.json.results as { access_key_id: string; uses: number; last_used?: number }[];
    };
    const [{ access_key_id: id, uses } = { access_key_id: "", uses: -1 }] = await keys();
    expect(uses).toBe(0);
    const wrong = { access_key_id: id, secret_access_key: "x".repeat(40) };
    expect((await kit.call(wrong, "GET", "/user")).status).toBe(401);
    expect((await keys())[0]?.uses).toBe(0);
    expect((await kit.call("plain", "GET", "/user")).status).toBe(200);
    const answer = await fetch(`${kit.authorizer.url}/api/v1/auth/credentials/${id}`, {
      headers: { authorization: `Bearer ${kit.authorizer.token}` },
    });
    expect(answer.status).toBe(200);
    const [used] = await keys();
    expect(used?.uses).toBe(2);
    expect(Math.abs((used?.last_used ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("of what is older than the counts is said to be counted since they began", async () => {
    const key = { access_key_id: "AKIAJOLDERTHANCOUNTQ", secret_access_key: "x".repeat(40) };
    await kit.authorizer.directory.credentials.create("plain", { ...key, creation_date: 1_000 });
    const { json } = await kit.call("admin", "GET", "/auth/users/plain/credentials?last_used=true");
    const keys = json.results as { access_key_id: string; creation_date: number; uses_since: number }[];
    const old = keys.find(({ access_key_id: id }) => id === key.access_key_id);
    expect(old).toMatchObject({ uses: 0, creation_date: 1_000 });
    expect(Math.abs((old?.uses_since ?? 0) - Date.now() / 1_000)).toBeLessThan(600);
    for (const { creation_date, uses_since } of keys)
      expect(uses_since).toBeGreaterThanOrEqual(creation_date);
  });

  it("is listed by svcctl", async () => {
    const run = (...args: string[]) =>
      svcctl(["auth", "users", ...args, "-o", "json"], {
        env: {
          SVCCTL_SERVER_ENDPOINT_URL: kit.authorizer.userUrl,
          SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEYS.admin.access_key_id,
          SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: KEYS.admin.secret_access_key,
        },
      });
    const users = JSON.parse((await run("list", "--last-used")).stdout) as Record<string, unknown>[];
    const admin = users.find(({ id }) => id === "admin");
    expect(Number(admin?.["uses"])).toBeGreaterThan(0);
    expect(String(admin?.["last_used"])).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(users.find(({ id }) => id === "viewer")).toMatchObject({ uses: 0 });
    const [key] = JSON.parse((await run("credentials", "list", "--id", "admin", "--last-used")).stdout);
    expect(Object.keys(key)).toEqual(["access_key_id", "creation_date", "last_used", "uses", "uses_since"]);
    const [plain] = JSON.parse((await run("list")).stdout) as Record<string, unknown>[];
    expect(Object.keys(plain ?? {})).not.toContain("uses");
  });

  it("changes no revision, and is not answered unless it is asked for", async () => {
    const before = kit.authorizer.directory.history.head;
    await usesOf(kit, "target");
    expect(kit.authorizer.directory.history.head).toEqual(before);
    const answer = await kit.call("admin", "GET", "/auth/users?amount=1");
    expect(Object.keys(answer.json.results[0])).not.toContain("uses");
    expect((await kit.call("admin", "GET", "/auth/users?last_used=perhaps")).status).toBe(400);
  });

  it("of a user who was deleted is not that of another of the name", async () => {
    const { users } = kit.authorizer.directory;
    await users.create({ username: "again" });
    await ask("/access/v1/check", { user: "again", required: { action: "fs:ReadObject", resource: object } });
    expect(await usesOf(kit, "again")).toBe(1);
    await users.delete("again");
    await users.create({ username: "again" });
    for (let time = 0; time < 2; time++) {
      await ask("/access/v1/check", {
        user: "again",
        required: { action: "fs:ReadObject", resource: object },
      });
    }
    expect(await usesOf(kit, "again")).toBe(2);
  });
});

it("is not answered where it is not counted", async () => {
  const kit = await startManagement({ "authorizer.usage.interval": "0s" });
  const answer = await kit.call("admin", "GET", "/auth/users?last_used=true");
  expect([answer.status, answer.json.message]).toEqual([
    400,
    "last_used: use is not counted (authorizer.usage.interval is 0s)",
  ]);
  await kit.authorizer.close();
});
