import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { callTarget, startManagement } from "./kit.ts";

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "off" }));
beforeEach(() => api.authorizer.reset());

const statement = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }];

describe("failures in the words of the reference", () => {
  it.each([
    ["GET", "/auth/users/none", 404, "user not found"],
    ["DELETE", "/auth/users/none", 404, "user not found"],
    ["GET", "/auth/groups/none", 404, "group not found"],
    ["DELETE", "/auth/groups/none", 404, "group not found"],
    ["GET", "/auth/policies/none", 404, "policy not found"],
    ["DELETE", "/auth/policies/none", 404, "policy not found"],
    ["GET", "/auth/users/viewer/credentials/none", 404, "credentials not found"],
    ["DELETE", "/auth/users/viewer/credentials/none", 404, "credentials not found"],
    ["POST", "/auth/users/none/credentials", 404, "not found"],
    ["GET", "/auth/users/none/credentials", 404, "not found"],
    ["GET", "/auth/users/none/groups", 404, "not found"],
    ["GET", "/auth/users/none/policies?effective=true", 404, "not found"],
    ["GET", "/auth/groups/none/members", 404, "not found"],
    ["GET", "/auth/groups/none/acl", 404, "not found"],
    ["GET", "/auth/policies/none/users", 404, "policy not found"],
    ["GET", "/auth/policies/none/groups", 404, "policy not found"],
    ["GET", "/auth/access/directory?revision=9000", 410, expect.stringMatching(/^Revision 9000 cannot be /)],
    ["GET", "/decisions", 404, expect.stringMatching(/^no decisions are logged/)],
    ["GET", "/decisions/stream", 404, expect.stringMatching(/^no decisions are logged/)],
    ["GET", "/audit", 404, expect.stringMatching(/^no records of the audit log are kept/)],
    ["GET", "/audit/stream", 404, expect.stringMatching(/^no records of the audit log are kept/)],
    ["PUT", "/auth/groups/Readers/members/none", 404, "not found"],
    ["PUT", "/auth/users/viewer/policies/none", 404, "not found"],
    ["PUT", "/auth/users/target/policies/Reads", 409, "Already exists"],
    ["PUT", "/auth/groups/Admins/members/admin", 409, "Already exists"],
    ["GET", "/auth/users?amount=1001", 400, "amount: must be a whole number from -1 to 1000"],
    ["GET", "/auth/users/viewer/policies?effective=perhaps", 400, "effective: must be true or false"],
    ["GET", "/auth/external/principals", 400, "principalId: required"],
  ])("%s %s: %i %s", async (method, path, status, message) => {
    const answer = await api.call("admin", method, path);
    expect({ status: answer.status, json: answer.json }).toEqual({ status, json: { message } });
  });

  it.each([
    ["POST", "/auth/users", { id: "a%b" }, 400, "User name cannot contain '%'"],
    ["POST", "/auth/groups", { id: "a%b" }, 400, "Group name cannot contain '%'"],
    ["POST", "/auth/policies", { id: "a%b", statement }, 400, "Policy name cannot contain '%'"],
    ["POST", "/auth/users", { id: "viewer" }, 409, "Already exists"],
    ["POST", "/auth/groups", { id: "Readers" }, 409, "Already exists"],
    ["POST", "/auth/policies", { id: "Reads", statement }, 409, "Already exists"],
    ["POST", "/auth/external/principal/login", { identityRequest: {} }, 501, "Not Implemented"],
    ["POST", "/auth/users", {}, 400, "/id: required"],
    ["POST", "/auth/users", { id: 7 }, 400, "/id: expected a string"],
    ["POST", "/auth/users", { id: "x".repeat(1025) }, 400, "/id: must be a name of 1 to 1,024 bytes"],
    [
      "POST",
      "/auth/users",
      { id: "a\tb" },
      400,
      '/id: must be a name of well-formed Unicode without control characters, and not "." or ".."',
    ],
    ["POST", "/auth/users", { id: "no address", invite_user: true }, 400, "Invalid email format"],
    ["PUT", "/auth/policies/Reads", { id: "Other", statement }, 400, "can't update policy id"],
    ["PUT", "/auth/policies/None", { id: "None", statement }, 404, "policy not found"],
    [
      "POST",
      "/auth/groups/Readers/acl",
      { permission: "Everything" },
      400,
      "/permission: must be one of Read, Write, Super, Admin",
    ],
  ])("%s %s %j: %i %s", async (method, path, body, status, message) => {
    const answer = await api.call("admin", method, path, { body });
    expect({ status: answer.status, json: answer.json }).toEqual({ status, json: { message } });
  });

  it("the permission is asked before the rest of the body is looked at", async () => {
    const body = { id: "Other", statement: "none" };
    expect((await api.call("viewer", "PUT", "/auth/policies/Reads", { body })).status).toBe(401);
    expect((await api.call("viewer", "PUT", "/auth/policies/Reads", { body: "no JSON" })).status).toBe(401);
    expect((await api.call("viewer", "POST", "/auth/policies", { body })).status).toBe(401);
  });

  it("bodies are bounded and need their type", async () => {
    const large = { id: "x", statement: "x".repeat(1 << 20) };
    expect((await api.call("admin", "POST", "/auth/policies", { body: large })).status).toBe(413);
    const headers = { "content-type": "text/plain" };
    expect((await api.call("admin", "POST", "/auth/users", { body: "{}", headers })).status).toBe(400);
  });

  it("an error inside is told by an id alone", async () => {
    const { directory } = api.authorizer;
    const list = directory.users.list;
    Object.assign(directory.users, { list: () => Promise.reject(new Error("a secret detail")) });
    const answer = await api.call("admin", "GET", "/auth/users");
    Object.assign(directory.users, { list });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("secret detail");
  });
});

describe("paths", () => {
  it.each(["/auth/users/", "/auth//users", "/auth/users/viewer/", "/Auth/users", "/auth/users/viewer/x"])(
    "%s is nothing",
    async (path) => {
      expect((await api.call("admin", "GET", path)).status).toBe(404);
    },
  );

  it("names are read whether a client encodes them once or twice, and a plus is a plus", async () => {
    for (const id of ["a b", "a/b", "a+b@example.com", "日本"]) {
      await api.call("admin", "POST", "/auth/users", { body: { id } });
      for (const encoded of [encodeURIComponent(id), encodeURIComponent(encodeURIComponent(id))]) {
        expect((await api.call("admin", "GET", `/auth/users/${encoded}`)).json.id).toBe(id);
      }
    }
  });

  it("other methods are 405 and name those that are known", async () => {
    const answer = await api.call("admin", "PATCH", "/auth/groups/Viewers");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, DELETE, OPTIONS"]);
  });
});

describe("lists", () => {
  it("come in pages that follow each other", async () => {
    const first = await api.call("admin", "GET", "/auth/users?amount=2");
    expect(first.json.pagination).toEqual({
      has_more: true,
      max_per_page: 1000,
      results: 2,
      next_offset: "manager",
    });
    const rest = await api.call("admin", "GET", "/auth/users?after=manager&amount=1000");
    expect(rest.json.results.map(({ id }: { id: string }) => id)).toEqual(["plain", "target", "viewer"]);
    const named = await api.call("admin", "GET", "/auth/policies?prefix=FSRead");
    expect(named.json.results.map(({ id }: { id: string }) => id)).toEqual(["FSReadAll", "FSReadWriteAll"]);
  });

  it("are searched by a part of a name, in letters of any case", async () => {
    const ids = async (path: string) =>
      (await api.call("admin", "GET", path)).json.results.map(({ id }: { id: string }) => id);
    expect(await ids("/auth/users?search=AGE")).toEqual(["manager"]);
    expect(await ids("/auth/groups?search=admin")).toEqual(["Admins"]);
    expect(await ids("/auth/policies?search=readwrite&amount=1")).toEqual(["CatalogReadWriteAll"]);
    expect(await ids("/auth/groups/Viewers/members?search=view")).toEqual(["viewer"]);
    expect(await ids("/auth/users/viewer/policies?effective=true&search=read")).toEqual([
      "CatalogReadAll",
      "FSReadAll",
    ]);
    const long = await api.call("admin", "GET", `/auth/users?search=${"x".repeat(1_025)}`);
    expect([long.status, long.json.message]).toEqual([400, "search: must have at most 1024 characters"]);
  });

  it("are searched for a beginning that would end in another letter as a word: Σ", async () => {
    // In small letters it is σ, and ς at the end of a word.
    const name = "ΔΗΜΟΣΘΕΝΗΣ";
    await api.call("admin", "POST", "/auth/users", { body: { id: name } });
    await api.call("admin", "POST", "/auth/policies", { body: { id: name, statement } });
    const ofUser = `/auth/users/${encodeURIComponent(name)}/policies`;
    await api.call("admin", "PUT", `${ofUser}/${encodeURIComponent(name)}`);
    for (const list of ["/auth/users?", "/auth/policies?", `${ofUser}?effective=true&`]) {
      for (const text of ["ΔΗΜΟΣ", "δημος", "δημοσ", "Θενης", "Θενησ"]) {
        const { json } = await api.call("admin", "GET", `${list}search=${encodeURIComponent(text)}`);
        expect([list, text, json.results.map(({ id }: { id: string }) => id)]).toEqual([list, text, [name]]);
      }
    }
  });

  it("effective policies are direct and through groups, as stored, in pages", async () => {
    await api.authorizer.directory.policies.create({
      name: "AOffice",
      statement: [{ ...statement[0], condition: { StringEquals: { "context.team": ["x"] } } }] as never,
    });
    await api.authorizer.directory.users.attachPolicy("viewer", "AOffice");
    const list = async (query: string) => {
      const { json } = await api.call("admin", "GET", `/auth/users/viewer/policies?${query}`);
      return { names: json.results.map(({ id }: { id: string }) => id), ...json };
    };
    expect((await list("")).names).toEqual(["AOffice"]);
    const all = await list("effective=true");
    expect(all.names).toEqual(["AOffice", "AuthManageOwnCredentials", "CatalogReadAll", "FSReadAll"]);
    expect(all.results[0].statement[0].condition).toEqual({ StringEquals: { "context.team": ["x"] } });
    const page = await list("effective=true&amount=2&after=AOffice");
    expect(page.names).toEqual(["AuthManageOwnCredentials", "CatalogReadAll"]);
    expect(page.pagination.next_offset).toBe("CatalogReadAll");
    expect((await list("effective=true&prefix=FS")).names).toEqual(["FSReadAll"]);
  });
});

describe("access lists", () => {
  const acl = (method: string, body?: unknown) =>
    api.call("admin", method, "/auth/groups/Writers/acl", body === undefined ? {} : { body });

  it("replace all policies of the group by one of their name", async () => {
    expect((await acl("GET")).json).toEqual({ message: "Policy attached to group has no ACL", no_acl: true });
    for (const permission of ["Read", "Write", "Super", "Admin"]) {
      expect((await acl("POST", { permission })).status).toBe(201);
      expect((await acl("GET")).json).toEqual({ permission });
      const { results } = await api.authorizer.directory.groups.policies("Writers", { amount: 10 });
      expect(results.map(({ name, acl: label }) => [name, label])).toEqual([["ACL(_-_)Writers", permission]]);
    }
  });

  it.each(["", "Foo", "read", undefined])(
    "are one of four: %j is 400 and changes nothing",
    async (permission) => {
      const before = await api.authorizer.directory.batches.state({ secrets: false });
      expect(await acl("POST", { permission })).toMatchObject({
        status: 400,
        json: { message: expect.stringContaining("/permission: ") },
      });
      expect(await api.authorizer.directory.batches.state({ secrets: false })).toEqual(before);
    },
  );

  it("are empty for a group without policy, and none for one with several", async () => {
    await api.call("admin", "DELETE", "/auth/groups/Writers/policies/Writes");
    expect((await acl("GET")).json).toEqual({ permission: "" });
    const several = await api.call("admin", "GET", "/auth/groups/Admins/acl");
    expect([several.status, several.json.no_acl]).toEqual([404, true]);
  });

  it("decide from the next request on", async () => {
    await api.call("admin", "PUT", "/auth/groups/Writers/members/plain");
    expect((await api.call("plain", "GET", "/auth/users")).status).toBe(401);
    await acl("POST", { permission: "Admin" });
    expect((await api.call("plain", "GET", "/auth/users")).status).toBe(200);
  });

  it("lose their label when somebody rewrites the policy", async () => {
    await acl("POST", { permission: "Read" });
    const body = { id: "ACL(_-_)Writers", statement };
    await api.call("admin", "PUT", "/auth/policies/ACL(_-_)Writers", { body });
    expect((await acl("GET")).json.no_acl).toBe(true);
  });
});

describe("what one may do", () => {
  const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/x/object/y" };
  const check = (who: "viewer" | "admin" | "plain", body: unknown) =>
    api.call(who, "POST", "/auth/check", { body });

  it("is told to oneself, with reasons", async () => {
    const { json } = await check("viewer", { user: "viewer", required, explain: true });
    expect(json).toMatchObject({ allowed: true, explanation: { determining: [{ policy: "FSReadAll" }] } });
  });

  it("of others is told to those who may read them", async () => {
    expect((await check("admin", { user: "plain", required })).json).toMatchObject({
      allowed: false,
      message: "insufficient permissions: not allowed to fs:ReadObject",
    });
    const refused = await check("plain", { user: "admin", required });
    expect([refused.status, refused.json.message]).toEqual([
      401,
      "insufficient permissions: not allowed to auth:ReadUser",
    ]);
    expect((await check("admin", { user: "none", required })).json.reason).toBe("unknown_user");
  });

  it("needs a sound question", async () => {
    expect((await check("plain", { user: "plain", required, more: 1 })).status).toBe(400);
    expect((await check("plain", { user: "plain", required: { and: [] } })).json.allowed).toBe(false);
  });
});

it("capabilities and health are open, the version is for users", async () => {
  expect((await api.call(undefined, "GET", "/auth/capabilities")).json).toEqual({
    invite_user: false,
    forgot_password: false,
  });
  expect((await api.call(undefined, "GET", "/healthcheck")).status).toBe(204);
  const { json } = await api.call("plain", "GET", "/config");
  const { policy_set, ...versions } = (await api.call("plain", "GET", "/config/version")).json;
  expect(json.version_config).toEqual(versions);
  expect(policy_set).toEqual({
    version: expect.stringMatching(/^\d{4}\.\d+\.\d+$/),
    digest: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
});

it("an invitation needs a mail server, and creates nobody without", async () => {
  const body = { id: "New.User@example.com", invite_user: true };
  const answer = await api.call("admin", "POST", "/auth/users", { body });
  expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining("email.smtp_host")]);
  expect((await api.call("admin", "GET", "/auth/users/new.user@example.com")).status).toBe(404);
});

it("writes and secrets are audited with who did them, and no secret", async () => {
  const made = await api.call("admin", "POST", "/auth/users/plain/credentials");
  await expect
    .poll(() => api.audit().slice(-2))
    .toMatchObject([
      { event: "write", actor: "admin", how: "access_key", operation: "createCredentials", user: "plain" },
      {
        event: "secret_read",
        actor: "admin",
        access_key_id: made.json.access_key_id,
        source_ip: "127.0.0.1",
      },
    ]);
  expect(JSON.stringify(api.audit())).not.toContain(made.json.secret_access_key);
});

it("a principal with the name of a session is taken with a warning, a role and a user of AWS without", async () => {
  const attach = (arn: string) =>
    api.call(
      "admin",
      "POST",
      `/auth/users/target/external/principals?principalId=${encodeURIComponent(arn)}`,
    );
  const role = "arn:aws:sts::123456789012:assumed-role/Jobs";
  const answer = await attach(`${role}/nightly`);
  expect([answer.status, answer.headers.get("warning")]).toEqual([
    201,
    expect.stringContaining("session's name"),
  ]);
  for (const arn of [role, "arn:aws:iam::123456789012:user/zoe"]) {
    const silent = await attach(arn);
    expect([silent.status, silent.headers.get("warning")]).toEqual([201, null]);
  }
});

it("policies that may not do what is meant are taken with a warning", async () => {
  const body = { id: "Odd", statement: [{ ...statement[0], action: ["fs:NoSuchThing", "fs:Nothing"] }] };
  const { status, headers } = await api.call("admin", "POST", "/auth/policies", { body });
  expect(status).toBe(201);
  expect(headers.get("warning")?.split("299 svc-authorizer").length).toBe(3);
});

it("the probes are here too", async () => {
  expect((await callTarget(api.authorizer.userUrl, "GET", "/readyz")).json).toEqual({ status: "ready" });
});
