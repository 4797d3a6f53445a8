/** The calls behind the console: users of each preconfigured group, other sites, hostile names. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Key, type Management, startManagement } from "./kit.ts";

const GROUPS = ["Admins", "SuperUsers", "Developers", "Viewers"] as const;
const STATEMENT = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }];
/** Markup, quotes, a change of direction, a path, a placeholder, and as long as a name may be. */
const HOSTILE = [
  `<img src=x onerror="alert(1)">`,
  `"'\`};--`,
  "\u202egnp.exe",
  "a/../b",
  "${user}",
  "__proto__",
  "é".repeat(512),
];

function keyOf(index: number): Key {
  return {
    access_key_id: `AKIAJGROUP${index}GROUP${index}GQQ`,
    secret_access_key: "a-secret-of-the-groups".padEnd(40, "x"),
  };
}

let api: Management;
beforeAll(async () => {
  const users = GROUPS.map((group, index) => ({
    username: `of-${group}`,
    groups: [group],
    credentials: [keyOf(index)],
  }));
  const nobody = { username: "nobody-special", credentials: [keyOf(8)] };
  const reader = { username: "reader", credentials: [keyOf(9)], policies: ["ReadsPolicies"] };
  const hostile = HOSTILE.map((username) => ({
    username,
    friendly_name: `known as ${username}`,
    groups: ["Viewers"],
    policies: ["Given"],
  }));
  api = await startManagement({}, {
    format: 1,
    preconfigured: true,
    users: [...users, nobody, reader, ...hostile],
    policies: [
      { name: "Given", statement: STATEMENT },
      {
        name: "ReadsPolicies",
        statement: [{ effect: "allow", action: ["auth:ReadPolicy", "auth:ReadGroup"], resource: "*" }],
      },
    ],
  } as never);
});
afterAll(() => api?.close());

const CALLS = [
  ["POST", "/auth/policies/lint", { document: { statement: STATEMENT } }],
  ["POST", "/auth/policies/compare", { name: "Given", document: { statement: STATEMENT } }],
  ["POST", "/auth/policies/compare", { name: "Given", delete: true }],
  ["POST", "/auth/policies/compare", { name: "Given", attach: { user: "of-Admins" } }],
  ["POST", "/auth/policies/compare", { name: "Given", detach: { group: "Viewers" } }],
  ["GET", "/auth/status", undefined],
  ["GET", "/auth/users?search=of-", undefined],
  ["GET", "/auth/groups?search=min", undefined],
  ["GET", "/auth/policies?search=giv", undefined],
  ["GET", "/auth/policies/Given/users", undefined],
  ["GET", "/auth/policies/Given/groups", undefined],
] as const;

describe.each(CALLS)("%s %s %j", (method, path, body) => {
  const options = body === undefined ? {} : { body };

  it.each([...GROUPS.entries()])("%i: a user of %s gets what the group may", async (index, group) => {
    const answer = await api.call(keyOf(index), method, path, options);
    expect(answer.status).toBe(group === "Admins" ? 200 : 401);
    if (group !== "Admins") {
      expect(Object.keys(answer.json)).toEqual(["message"]);
      expect(answer.json.message).toMatch(/^insufficient permissions: not allowed to auth:\w+$/);
    }
  });

  it("is refused to a user without groups, and to nobody", async () => {
    expect((await api.call(keyOf(8), method, path, options)).status).toBe(401);
    expect((await api.call(undefined, method, path, options)).status).toBe(401);
  });
});

it("who holds a policy is not said to whoever may read the policy alone", async () => {
  const groups = await api.call(keyOf(9), "GET", "/auth/policies/FSReadAll/groups");
  expect(groups.json.results.map(({ id }: { id: string }) => id)).toEqual(["Viewers"]);
  const users = await api.call(keyOf(9), "GET", "/auth/policies/Given/users");
  expect([users.status, users.json]).toEqual([
    401,
    { message: "insufficient permissions: not allowed to auth:ReadUser" },
  ]);
});

describe("a page of another site", () => {
  const posts = CALLS.filter(([method]) => method === "POST");
  const withCookie = async (
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer> => {
    const login = await api.call(undefined, "POST", "/auth/login", { body: keyOf(0) });
    const cookie = `access_token=${login.json.token}`;
    return api.call(undefined, "POST", path, { body, headers: { cookie, ...headers } });
  };

  it.each(posts)("cannot make %s %s %j", async (_method, path, body) => {
    for (const headers of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ] as Record<string, string>[]) {
      expect((await withCookie(path, body, headers)).status).toBe(403);
    }
    expect((await withCookie(path, body, { "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it.each(posts)("nor with a key that a browser adds by itself: %s %s %j", async (method, path, body) => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await api.call(keyOf(0), method, path, { body, headers })).status).toBe(403);
  });
});

describe("hostile names", () => {
  const admin = keyOf(0);

  it.each(HOSTILE)("%j is found, compared and named as it is", async (name) => {
    const part = [...name].slice(0, 20).join("").toUpperCase();
    const found = await api.call(admin, "GET", `/auth/users?search=${encodeURIComponent(part)}`);
    expect(found.json.results.map(({ id }: { id: string }) => id)).toContain(name);
    const held = await api.call(admin, "GET", "/auth/policies/Given/users");
    expect(held.json.results.map(({ id }: { id: string }) => id)).toContain(name);
    const body = { name: "FSFullAccess", attach: { user: name } };
    const compared = await api.call(admin, "POST", "/auth/policies/compare", { body });
    expect(compared.status).toBe(200);
    expect(compared.json.gains[0]).toMatchObject({ user: name, some: [name], via: [{ user: name }] });
    expect(compared.headers.get("content-type")).toBe("application/json");
  });

  it("of policies come back in findings and comparisons as texts", async () => {
    for (const name of HOSTILE.filter((one) => !one.includes("/"))) {
      const document = { id: name, statement: [{ ...STATEMENT[0], action: ["fs:ReadObjects"] }] };
      const linted = await api.call(admin, "POST", "/auth/policies/lint", { body: { document } });
      expect(linted.status).toBe(200);
      const compared = await api.call(admin, "POST", "/auth/policies/compare", { body: { name, document } });
      expect([200, 400]).toContain(compared.status);
      if (compared.status === 200) expect(compared.json.alone.gains[0].statement.policy).toBe(name);
    }
  });

  it("a document of any depth, or with fields that mean something elsewhere, harms nobody", async () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const fields = '{"statement":[],"__proto__":{"x":1},"constructor":{"prototype":{}}}';
    for (const document of [deep, fields, `{"a":${deep}}`, "\u0000", "9".repeat(100_000)]) {
      const { status, json } = await api.call(admin, "POST", "/auth/policies/lint", { body: { document } });
      expect(status).toBe(200);
      expect(json.errors + (json.complete ? 0 : 1)).toBeGreaterThan(0);
    }
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});
