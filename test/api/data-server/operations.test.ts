import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openedOnce } from "../../opened.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { startApi } from "./api-kit.ts";

const api = openedOnce(() => startApi());

const { version, digest } = JSON.parse(readFileSync("policies/manifest.json", "utf8"));
const MANIFEST = { version, digest: digest.slice(0, 12) };
const ALLOW = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };
const SECOND = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  const { directory } = api.authorizer;
  for (const username of ["u", "v"]) await directory.users.create({ username, creation_date: 5 });
  await directory.groups.create({ name: "g", creation_date: 5 });
  await directory.policies.create({ name: "p", statement: [ALLOW], creation_date: 5 });
  await directory.credentials.create("v", { access_key_id: "KEYOFV", secret_access_key: "s3cr3t" });
});

/** Method, path, body, status and body of the answer; in this order, since one builds on another. */
const CALLS: [string, string, unknown, number, unknown?][] = [
  ["GET", "/healthcheck", undefined, 204],
  [
    "GET",
    "/config/version",
    undefined,
    200,
    {
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      policy_set: MANIFEST,
    },
  ],
  [
    "POST",
    "/auth/users",
    {
      username: "new",
      friendlyName: "New One",
      email: "new@x.io",
      source: "internal",
      external_id: "x1",
      who: 1,
    },
    201,
    {
      username: "new",
      friendly_name: "New One",
      email: "new@x.io",
      source: "internal",
      external_id: "x1",
      creation_date: expect.any(Number),
    },
  ],
  ["POST", "/auth/users", { username: "new" }, 409],
  ["POST", "/auth/users", { username: "other", external_id: "x1" }, 409],
  ["POST", "/auth/users", { username: "" }, 400],
  ["POST", "/auth/users", {}, 400],
  ["POST", "/auth/users", { username: "in", invite: true, email: "in@x.io" }, 400],
  ["GET", "/auth/users/in", undefined, 404],
  ["GET", "/auth/users/u", undefined, 200, { username: "u", creation_date: 5 }],
  ["GET", "/auth/users/nobody", undefined, 404],
  ["PUT", "/auth/users/u/password", { encryptedPassword: "aGFzaA==" }, 200],
  ["PUT", "/auth/users/u/password", { encryptedPassword: "no base64!" }, 400],
  ["PUT", "/auth/users/nobody/password", { encryptedPassword: "aGFzaA==" }, 404],
  [
    "GET",
    "/auth/users/u",
    undefined,
    200,
    { username: "u", creation_date: 5, encryptedPassword: "aGFzaA==" },
  ],
  ["PUT", "/auth/users/new/friendly_name", { friendly_name: "Newer" }, 204],
  ["PUT", "/auth/users/nobody/friendly_name", { friendly_name: "Newer" }, 404],
  ["PUT", "/auth/users/new/friendly_name", { friendly_name: 1 }, 400],
  [
    "POST",
    "/auth/groups",
    { id: "Team", description: "d" },
    201,
    { id: "Team", name: "Team", description: "d", creation_date: expect.any(Number) },
  ],
  ["POST", "/auth/groups", { id: "Team" }, 409],
  ["POST", "/auth/groups", { name: "Team" }, 400],
  ["GET", "/auth/groups/g", undefined, 200, { id: "g", name: "g", creation_date: 5 }],
  ["GET", "/auth/groups/none", undefined, 404],
  ["PUT", "/auth/groups/g/members/u", undefined, 201],
  ["PUT", "/auth/groups/g/members/u", undefined, 409],
  ["PUT", "/auth/groups/g/members/nobody", undefined, 404],
  ["PUT", "/auth/groups/none/members/u", undefined, 404],
  ["GET", "/auth/groups/none/members", undefined, 404],
  ["DELETE", "/auth/groups/g/members/v", undefined, 204],
  ["DELETE", "/auth/groups/g/members/nobody", undefined, 404],
  ["GET", "/auth/users/nobody/groups", undefined, 404],
  [
    "POST",
    "/auth/policies",
    { name: "q", acl: "", creation_date: 7, statement: [ALLOW] },
    201,
    { name: "q", acl: "", creation_date: 7, statement: [ALLOW] },
  ],
  ["POST", "/auth/policies", { name: "q", statement: [ALLOW] }, 409],
  ["POST", "/auth/policies", { name: "r", statement: [] }, 400],
  ["POST", "/auth/policies", { name: "a/b", statement: [ALLOW] }, 400],
  ["GET", "/auth/policies/q", undefined, 200, { name: "q", acl: "", creation_date: 7, statement: [ALLOW] }],
  ["GET", "/auth/policies/none", undefined, 404],
  [
    "PUT",
    "/auth/policies/q",
    { name: "q", acl: "Read", creation_date: 8, statement: [ALLOW] },
    200,
    { name: "q", acl: "Read", creation_date: 8, statement: [ALLOW] },
  ],
  ["PUT", "/auth/policies/q", { name: "p", statement: [ALLOW] }, 400],
  ["PUT", "/auth/policies/none", { name: "none", statement: [ALLOW] }, 404],
  ["PUT", "/auth/users/u/policies/p", undefined, 201],
  ["PUT", "/auth/users/u/policies/p", undefined, 409],
  ["PUT", "/auth/users/u/policies/none", undefined, 404],
  ["PUT", "/auth/users/nobody/policies/p", undefined, 404],
  ["DELETE", "/auth/users/u/policies/q", undefined, 204],
  ["DELETE", "/auth/users/u/policies/none", undefined, 404],
  ["GET", "/auth/users/nobody/policies", undefined, 404],
  ["GET", "/auth/users/nobody/policies?effective=true", undefined, 404],
  ["GET", "/auth/users/u/policies?effective=maybe", undefined, 400],
  ["PUT", "/auth/groups/g/policies/q", undefined, 201],
  ["PUT", "/auth/groups/g/policies/q", undefined, 409],
  ["PUT", "/auth/groups/none/policies/q", undefined, 404],
  ["DELETE", "/auth/groups/g/policies/p", undefined, 204],
  ["GET", "/auth/groups/none/policies", undefined, 404],
  [
    "POST",
    "/auth/users/u/credentials?access_key=KEYOFU&secret_key=a%2Bb%2Fc%3D",
    undefined,
    201,
    {
      access_key_id: "KEYOFU",
      secret_access_key: "a+b/c=",
      user_id: 0,
      user_name: "u",
      creation_date: expect.any(Number),
    },
  ],
  ["POST", "/auth/users/v/credentials?access_key=KEYOFU&secret_key=x", undefined, 409],
  ["POST", "/auth/users/u/credentials?access_key=K&secret_key=", undefined, 400],
  ["POST", "/auth/users/u/credentials?secret_key=s", undefined, 400],
  ["POST", "/auth/users/nobody/credentials", undefined, 404],
  [
    "POST",
    "/auth/users/v/credentials?access_key=&secret_key=",
    undefined,
    201,
    {
      access_key_id: expect.stringMatching(/^AKIAJ[A-Z2-7]{14}Q$/),
      secret_access_key: expect.stringMatching(/^[A-Za-z0-9+/]{40}$/),
      user_id: 0,
      user_name: "v",
      creation_date: expect.any(Number),
    },
  ],
  [
    "GET",
    "/auth/users/u/credentials/KEYOFU",
    undefined,
    200,
    { access_key_id: "KEYOFU", creation_date: expect.any(Number) },
  ],
  ["GET", "/auth/users/u/credentials/KEYOFV", undefined, 404],
  ["DELETE", "/auth/users/u/credentials/KEYOFV", undefined, 404],
  [
    "GET",
    "/auth/credentials/KEYOFV",
    undefined,
    200,
    {
      access_key_id: "KEYOFV",
      secret_access_key: "s3cr3t",
      user_id: 0,
      user_name: "v",
      creation_date: expect.any(Number),
    },
  ],
  ["DELETE", "/auth/users/v/credentials/KEYOFV", undefined, 204],
  ["DELETE", "/auth/users/v/credentials/KEYOFV", undefined, 404],
  ["GET", "/auth/credentials/KEYOFV", undefined, 404],
  ["GET", "/auth/users/nobody/credentials", undefined, 404],
  [
    "POST",
    "/auth/users/u/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B",
    undefined,
    201,
  ],
  [
    "POST",
    "/auth/users/u/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B",
    undefined,
    409,
  ],
  [
    "POST",
    "/auth/users/v/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B",
    undefined,
    409,
  ],
  ["POST", "/auth/users/nobody/external/principals?principalId=x", undefined, 404],
  ["POST", "/auth/users/u/external/principals", undefined, 400],
  [
    "GET",
    "/auth/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B",
    undefined,
    200,
    { id: "arn:aws:iam::1:role/r +", user_id: "u" },
  ],
  ["GET", "/auth/users/nobody/external/principals/ls", undefined, 404],
  [
    "DELETE",
    "/auth/users/v/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B",
    undefined,
    404,
  ],
  [
    "DELETE",
    "/auth/users/u/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B",
    undefined,
    204,
  ],
  ["GET", "/auth/external/principals?principalId=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr+%2B", undefined, 404],
  ["POST", "/auth/tokenid/claim", { token_id: "t1", expires_at: SECOND + 60 }, 201],
  ["POST", "/auth/tokenid/claim", { token_id: "t1", expires_at: SECOND + 60 }, 400],
  ["POST", "/auth/tokenid/claim", { token_id: "t2" }, 400],
  ["DELETE", "/auth/policies/q", undefined, 204],
  ["DELETE", "/auth/policies/q", undefined, 404],
  ["DELETE", "/auth/groups/g", undefined, 204],
  ["DELETE", "/auth/groups/g", undefined, 404],
  ["DELETE", "/auth/users/u", undefined, 204],
  ["DELETE", "/auth/users/u", undefined, 404],
];

describe("one operation after another", () => {
  it.each(CALLS)("%s %s %j answers %i", async (method, path, body, status, expected) => {
    const answer = await api.call(method, path, body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(/\S/);
    if (status >= 400) expect(answer.body).toEqual({ message: expect.stringMatching(/\S/) });
    else expect(answer.body).toEqual(expected);
    // A JSON type without a body, and a body without a JSON type, both break the client.
    const type = answer.headers.get("content-type");
    expect(type).toBe(answer.text === "" ? null : "application/json");
  });
});

describe("what is refused", () => {
  it.each([
    ["an empty body", ""],
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no object", "null"],
    ["a text for a number", '{"token_id":"t","expires_at":"1"}'],
  ])("is %s with 400", async (_name, body) => {
    const answer = await api.call("POST", "/auth/tokenid/claim", body, {
      "content-type": "application/json",
    });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/body|expected|JSON/i);
  });

  it("is a body of another type with 400 and one that is too large with 413", async () => {
    const typed = await api.call("POST", "/auth/groups", '{"id":"x"}', { "content-type": "text/plain" });
    expect(typed.status).toBe(400);
    const large = await api.call("POST", "/auth/groups", { id: "x", description: "x".repeat(2 << 20) });
    expect(large.status).toBe(413);
  });

  it.each([
    [{ username: "a*b", email: "" }, "/username"],
    [{ username: "ok", friendlyName: "\ud800" }, "/friendlyName"],
    [{ username: "ok", email: 1 }, "/email"],
    [{ username: ".." }, "/username"],
  ])("names the field of %j", async (body, field) => {
    const answer = await api.call("POST", "/auth/users", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(field);
  });

  it("names every faulty field of a policy", async () => {
    const statement = [{ effect: "Allow", action: [], resource: "", condition: { Nope: { a: ["b"] } } }];
    const { status, body } = await api.call("POST", "/auth/policies", { name: "bad", statement });
    expect(status).toBe(400);
    for (const field of ["effect", "action", "resource", "condition/Nope"]) {
      expect(body.message).toContain(`/statement/0/${field}`);
    }
  });

  it("names id, not name, where a group's id is wrong", async () => {
    const { body } = await api.call("POST", "/auth/groups", { id: "a%b" });
    expect(body.message).toMatch(/^\/id: /);
  });
});

describe("warnings", () => {
  it("about a policy that may not do what is meant are quoted ASCII headers", async () => {
    const condition = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    const statement = [{ ...ALLOW, action: ["fs:ListRepositories"], condition }];
    const { status, headers } = await api.call("POST", "/auth/policies", { name: "wärn", statement });
    expect(status).toBe(201);
    const warning = headers.get("warning") ?? "";
    expect(warning).toMatch(/^299 svc-authorizer "\/statement\/0\/condition: [\x20-\x7e]+"/);
    const updated = await api.call("PUT", "/auth/policies/w%25C3%25A4rn", { statement });
    expect(updated.headers.get("warning")).toBe(warning);
  });

  it("are in the log too", async () => {
    const folder = temporaryFolder();
    const log = join(folder, "log.jsonl");
    const logged = await startApi({
      "logging.level": "WARN",
      "logging.format": "json",
      "logging.output": [log],
    });
    const statement = [{ ...ALLOW, resource: "arn:svc:f*:::repository/a" }];
    await logged.call("POST", "/auth/policies", { name: "odd", statement });
    await logged.close();
    const entries = readFileSync(log, "utf8").trim().split("\n");
    expect(entries.length).toBe(1);
    expect(JSON.parse(entries[0] as string)).toMatchObject({ policy: "odd", actor: "data-server" });
    expect(entries[0]).toContain("cannot have wildcards");
  });

  it("are absent where there is nothing to warn of", async () => {
    const { headers } = await api.call("POST", "/auth/policies", { name: "fine", statement: [ALLOW] });
    expect(headers.get("warning")).toBeNull();
  });
});

describe("secrets", () => {
  it("are never stored by whoever relays the answer", async () => {
    await api.call("POST", "/auth/users", { username: "s" });
    const made = await api.call("POST", "/auth/users/s/credentials");
    const read = await api.call("GET", `/auth/credentials/${made.body.access_key_id}`);
    for (const { headers } of [made, read]) expect(headers.get("cache-control")).toBe("no-store");
    expect(read.body).toEqual(made.body);
  });

  it("in a query that is refused are not repeated", async () => {
    for (const query of [
      "secret_key=hidden%ZZ&access_key=a",
      "secret_key=hidden",
      "secret_key=hidden&secret_key=b",
    ]) {
      const { status, text } = await api.call("POST", `/auth/users/s/credentials?${query}`);
      expect(status).toBe(400);
      expect(text).not.toContain("hidden");
    }
  });
});
