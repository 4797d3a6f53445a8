/** The reach of SCIM, and its effects (spec/scim §4 to spec/scim §6). */

import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post } from "../../http/service-kit.ts";
import { call, DECIDER, IDP, startScim } from "./kit.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const READ = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/o" };

const service = await closedAfterAll(startScim({ "authorizer.subjects.unknown": "from_request" }));
beforeAll(async () => {
  const { directory } = service;
  const statement = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
  await directory.policies.create({ name: "Reads", statement });
  for (const name of ["Readers", "Admins"]) await directory.groups.create({ name });
  await directory.groups.attachPolicy("Readers", "Reads");
  await directory.groups.attachPolicy("Admins", "Reads");
});

const patch = (path: string, ...Operations: readonly object[]) =>
  call(service, "PATCH", path, { schemas: [PATCH], Operations });

async function newUser(userName: string, more: object = {}): Promise<string> {
  const { status, body } = await call(service, "POST", "/Users", { schemas: [USER], userName, ...more });
  expect(status).toBe(201);
  return body.id;
}

async function idOf(kind: "Users" | "Groups", name: string): Promise<string> {
  const attribute = kind === "Users" ? "userName" : "displayName";
  const { body } = await call(service, "GET", `/${kind}?filter=${attribute}%20eq%20%22${name}%22`);
  return body.Resources[0].id;
}

async function check(user: string, groups?: readonly string[]): Promise<string> {
  const body = { user, required: READ, ...(groups && { groups }) };
  const answer = await post({ url: service.url, token: DECIDER }, "/access/v1/check", body);
  return answer.body.reason ?? answer.body.effect;
}

const member = (id: string) => ({ op: "add", path: "members", value: [{ value: id }] });

describe("a user of an identity provider", () => {
  it("gets the policies of a group, and loses them with the membership", async () => {
    const id = await newUser("ann");
    const readers = await idOf("Groups", "Readers");
    expect(await check("ann")).toBe("neutral");
    expect((await patch(`/Groups/${readers}`, member(id))).status).toBe(200);
    expect(await check("ann")).toBe("allow");
    await patch(`/Groups/${readers}`, { op: "remove", path: `members[value eq "${id}"]` });
    expect(await check("ann")).toBe("neutral");
  });

  it("can do nothing while inactive: no decision, no key, no session, no asserted group, no principal", async () => {
    const id = await newUser("ben", { externalId: "ben-1" });
    const readers = await idOf("Groups", "Readers");
    await patch(`/Groups/${readers}`, member(id));
    const key = await service.directory.credentials.create("ben");
    await service.directory.externalPrincipals.create("ben", "arn:aws:sts::1:assumed-role/ben");
    const login = (userUrl: string) =>
      fetch(`${userUrl}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(key),
      });
    const token = ((await (await login(service.userUrl)).json()) as { token: string }).token;
    const me = () =>
      fetch(`${service.userUrl}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } });
    expect((await me()).status).toBe(200);
    expect(await check("ben")).toBe("allow");

    await patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect(await check("ben")).toBe("unknown_user");
    expect(await check("ben", ["Readers"])).toBe("unknown_user");
    const subject = { type: "user", id: "ben", properties: { groups: ["Readers"] } };
    const evaluation = {
      subject,
      action: { name: READ.action },
      resource: { type: "arn", id: READ.resource },
    };
    const evaluated = await post({ url: service.url, token: DECIDER }, "/access/v1/evaluation", evaluation);
    expect(evaluated.body).toMatchObject({ decision: false, context: { reason: "unknown_subject" } });
    const open = { user: "ben", method: "GET", path: "/api/v1/user", api: "main" };
    expect((await post({ url: service.url, token: DECIDER }, "/access/v1/request", open)).body.allowed).toBe(
      false,
    );
    expect((await login(service.userUrl)).status).toBe(401);
    expect((await me()).status).toBe(401);
    const ofServer = (path: string) =>
      fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${service.token}` } });
    expect((await ofServer(`/auth/credentials/${key.access_key_id}`)).status).toBe(404);
    expect(
      (await ofServer(`/auth/external/principals?principalId=arn:aws:sts::1:assumed-role/ben`)).status,
    ).toBe(404);
    expect(await (await ofServer("/auth/users/ben/policies?effective=true")).json()).toMatchObject({
      results: [],
    });
    const who = await post({ url: service.url, token: DECIDER }, "/access/v1/who-can", READ);
    expect(who.body.results.map(({ user }: { user: string }) => user)).not.toContain("ben");

    await patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
    expect(await check("ben")).toBe("allow");
    expect((await login(service.userUrl)).status).toBe(200);
    // What was issued before the end is over.
    expect((await me()).status).toBe(401);
  });

  it("is unknown to decision points in other processes while inactive, and known again afterwards", async () => {
    const id = await newUser("eva");
    await patch(`/Groups/${await idOf("Groups", "Readers")}`, member(id));
    const embedded = await EmbeddedAuthorizer.follow({ url: service.url, token: service.token });
    try {
      expect(embedded.allows("eva", READ.action, READ.resource)).toBe(true);
      await patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
      await expect.poll(() => embedded.allows("eva", READ.action, READ.resource)).toBe(false);
      const asked = { user: "eva", required: READ };
      const { id: _, ...served } = await service.client.check(asked);
      expect(embedded.check(asked)).toEqual(served);
      const fresh = await EmbeddedAuthorizer.follow({ url: service.url, token: service.token });
      expect(fresh.check(asked)).toEqual(served);
      fresh.close();
      await patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
      await expect.poll(() => embedded.allows("eva", READ.action, READ.resource)).toBe(true);
    } finally {
      await embedded.close();
    }
  });

  it("keeps groups, keys and principals under a new name, and the old name is nobody", async () => {
    const id = await newUser("cam", { emails: [{ value: "cam@example.com" }], externalId: "cam-1" });
    await patch(`/Groups/${await idOf("Groups", "Readers")}`, member(id));
    const { directory } = service;
    const key = await directory.credentials.create("cam");
    await directory.externalPrincipals.create("cam", "arn:cam");
    expect((await patch(`/Users/${id}`, { op: "replace", path: "userName", value: "camille" })).status).toBe(
      200,
    );
    expect([await check("cam"), await check("camille")]).toEqual(["unknown_user", "allow"]);
    expect((await directory.credentials.getWithSecret(key.access_key_id)).username).toBe("camille");
    expect((await directory.externalPrincipals.get("arn:cam")).username).toBe("camille");
    const found = async (filter: object) => (await directory.users.list({ amount: 10 }, filter)).results;
    for (const filter of [{ email: "cam@example.com" }, { external_id: "cam-1" }]) {
      expect((await found(filter)).map(({ username }) => username)).toEqual(["camille"]);
    }
    const members = await directory.groups.members("Readers", { amount: 100 });
    expect(members.results.map(({ username }) => username)).toContain("camille");
    // The name is free again, and whoever takes it has nothing of it.
    const other = await newUser("cam");
    expect(other).not.toBe(id);
    expect(await check("cam")).toBe("neutral");
  });

  it("is another one after a deletion, also by somebody else", async () => {
    const id = await newUser("dan");
    await service.directory.users.delete("dan");
    expect((await call(service, "GET", `/Users/${id}`)).status).toBe(404);
    const again = await newUser("dan");
    expect(again).not.toBe(id);
    expect((await call(service, "GET", `/Users/${id}`)).status).toBe(404);
  });

  it("has its attributes as registered properties for conditions", async () => {
    const department = { department: "sales" };
    const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
    const id = await newUser("fay", { title: "Chief", [enterprise]: department });
    const { properties } = await service.directory.users.get("fay");
    expect(properties).toEqual({ scim: { title: "Chief", enterprise: department } });
    const condition = { StringEquals: { "subject.scim.enterprise.department": ["sales"] } };
    const statement = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*", condition }];
    await service.directory.policies.create({ name: "Sales", statement });
    await service.directory.users.attachPolicy("fay", "Sales");
    expect(await check("fay")).toBe("allow");
    await patch(`/Users/${id}`, { op: "replace", path: `${enterprise}:department`, value: "law" });
    expect(await check("fay")).toBe("neutral");
  });
});

describe("a group of an identity provider", () => {
  it("keeps members and policies under a new name", async () => {
    const id = await newUser("gil");
    const { body } = await call(service, "POST", "/Groups", {
      schemas: [GROUP],
      displayName: "Old",
      members: [{ value: id }],
    });
    await service.directory.groups.attachPolicy("Old", "Reads");
    expect(await check("gil")).toBe("allow");
    await patch(`/Groups/${body.id}`, { op: "replace", path: "displayName", value: "New" });
    expect(await check("gil")).toBe("allow");
    expect([await check("nobody", ["Old"]), await check("nobody", ["New"])]).toEqual([
      "unknown_user",
      "allow",
    ]);
    const groups = await service.directory.users.groups("gil", { amount: 10 });
    expect(groups.results.map(({ name }) => name)).toEqual(["New"]);
  });

  it("is filled with thousands of members by one call, in one commit", async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `many-${index}`);
    await service.directory.batches.apply(
      names.map((username) => ({ op: "put_user", user: { username } })),
      { managed: false },
    );
    const listed: string[] = [];
    for (let start = 1; listed.length < names.length; start += 1_000) {
      const query = `/Users?filter=userName%20sw%20%22many-%22&attributes=id&startIndex=${start}&count=1000`;
      const { body } = await call(service, "GET", query);
      expect(body.totalResults).toBe(2_000);
      listed.push(...body.Resources.map(({ id }: { id: string }) => id));
    }
    const members = listed.map((value) => ({ value }));
    const made = await call(service, "POST", "/Groups", { schemas: [GROUP], displayName: "Many", members });
    expect([made.status, made.body.members.length]).toEqual([201, 2_000]);
    const wrong = [member(listed[0] as string), member("nobody")];
    expect((await patch(`/Groups/${made.body.id}`, { op: "remove", path: "members" }, ...wrong)).status).toBe(
      400,
    );
    const still = await call(service, "GET", `/Groups/${made.body.id}`);
    expect(still.body.members.length).toBe(2_000);
  });
});

describe("what a call may cost", () => {
  const operations = (count: number, make: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => make(index));

  it("is bounded: operations, values, members, terms", async () => {
    const id = await newUser("max");
    const email = (index: number) => ({
      op: "add",
      path: "emails",
      value: [{ value: `m${index}@example.com` }],
    });
    expect((await patch(`/Users/${id}`, ...operations(100, email))).status).toBe(200);
    expect((await patch(`/Users/${id}`, ...operations(101, email))).body.scimType).toBe("invalidValue");
    expect((await patch(`/Users/${id}`, email(100))).body.detail).toContain("more than 100 values");
    const members = operations(10_001, (index) => ({ value: `${index}` }));
    const group = { schemas: [GROUP], displayName: "Too many", members };
    expect((await call(service, "POST", "/Groups", group)).body.detail).toContain("more than 10000 values");
    const terms = operations(101, () => ({}))
      .map(() => "title pr")
      .join(" or ");
    const listed = await call(service, "GET", `/Users?filter=${encodeURIComponent(terms)}`);
    expect(listed.body).toMatchObject({ status: "400", scimType: "invalidFilter" });
  });
});

it.each([
  ["userName", "unexpected end, expected an operator such as eq"],
  ["userName eq", "unexpected end, expected a value"],
  ["(userName pr", "unexpected end, expected )"],
  ['eq "a"', 'unexpected "a", expected an operator such as eq'],
  ["userName eq null or", "unexpected end, expected an attribute"],
])("a faulty filter is told what it lacks: %s", async (filter, detail) => {
  const { body } = await call(service, "GET", `/Users?filter=${encodeURIComponent(filter)}`);
  expect(body).toMatchObject({ status: "400", scimType: "invalidFilter", detail });
});

describe("protected groups", () => {
  it("and their members cannot be changed, neither can a group take such a name", async () => {
    const admins = await idOf("Groups", "Admins");
    const outsider = await newUser("hal");
    await service.directory.users.create({ username: "root" });
    await service.directory.groups.addMember("Admins", "root");
    const root = await idOf("Users", "root");
    const readers = await idOf("Groups", "Readers");
    const refused = [
      patch(`/Groups/${admins}`, member(outsider)),
      patch(`/Groups/${admins}`, { op: "remove", path: "members" }),
      patch(`/Groups/${admins}`, { op: "replace", path: "displayName", value: "Nobodies" }),
      call(service, "PUT", `/Groups/${admins}`, { schemas: [GROUP], displayName: "Admins", members: [] }),
      call(service, "DELETE", `/Groups/${admins}`),
      call(service, "POST", "/Groups", { schemas: [GROUP], displayName: "Admins" }),
      patch(`/Groups/${readers}`, { op: "replace", path: "displayName", value: "Admins" }),
      patch(`/Users/${root}`, { op: "replace", path: "active", value: false }),
      patch(`/Users/${root}`, { op: "replace", path: "userName", value: "toor" }),
      patch(`/Users/${root}`, { op: "add", path: "externalId", value: "mallory" }),
      call(service, "DELETE", `/Users/${root}`),
    ];
    for (const answer of await Promise.all(refused)) {
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("protected")]);
    }
    expect((await call(service, "GET", `/Groups/${admins}`)).body.members).toMatchObject([
      { display: "root" },
    ]);
    // A call that changes nothing is no change.
    expect((await patch(`/Users/${root}`, { op: "replace", path: "active", value: true })).status).toBe(200);
  });
});

describe("a user that works for the service itself", () => {
  it("is not an identity provider's: it is not linked, renamed, deactivated, deleted or put into a group", async () => {
    const policy = { statement: [{ effect: "allow" as const, action: ["fs:ReadObject"], resource: "*" }] };
    const made = { username: "mirror-x", worksFor: "m-1", policy };
    const { key } = await service.directory.serviceUsers.createKey(made, 3_600);
    const id = await idOf("Users", "mirror-x");
    const readers = await idOf("Groups", "Readers");
    const users = { schemas: [USER], userName: "mirror-x", externalId: "mallory" };
    const refused = [
      patch(`/Users/${id}`, { op: "add", path: "externalId", value: "mallory" }),
      patch(`/Users/${id}`, { op: "replace", path: "active", value: false }),
      patch(`/Users/${id}`, { op: "replace", path: "userName", value: "bob" }),
      patch(`/Users/${id}`, { op: "add", path: "displayName", value: "Mallory" }),
      call(service, "PUT", `/Users/${id}`, users),
      call(service, "DELETE", `/Users/${id}`),
      patch(`/Groups/${readers}`, member(id)),
      call(service, "POST", "/Groups", {
        schemas: [GROUP],
        displayName: "OfService",
        members: [{ value: id }],
      }),
    ];
    for (const answer of await Promise.all(refused)) {
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("works for")]);
    }
    expect((await call(service, "POST", "/Users", users)).status).toBe(409);
    expect(await service.directory.users.get("mirror-x")).toEqual(
      expect.not.objectContaining({ inactive: true }),
    );
    expect(await service.directory.sessions.key(key.access_key_id)).toMatchObject({ username: "mirror-x" });
    expect((await service.directory.users.groups("mirror-x", { amount: 10 })).results).toEqual([]);
  });
});

describe("callers", () => {
  it("need the scope scim, which is good for nothing else", async () => {
    for (const [method, path] of [
      ["GET", "/Users"],
      ["GET", "/ServiceProviderConfig"],
      ["DELETE", "/Users/x"],
    ] as const) {
      expect((await call(service, method, path, undefined, DECIDER)).status).toBe(403);
      expect((await call(service, method, path, undefined, "wrong")).status).toBe(401);
    }
    for (const path of ["/access/v1/check", "/access/v1/evaluation"]) {
      const answer = await post({ url: service.url, token: IDP }, path, { user: "x", required: READ });
      expect(answer.status).toBe(403);
    }
    const users = await fetch(`${service.url}/api/v1/auth/users`, {
      headers: { authorization: `Bearer ${IDP}` },
    });
    expect(users.status).toBe(403);
  });

  it("send JSON", async () => {
    const headers = { authorization: `Bearer ${IDP}`, "content-type": "text/plain" };
    const response = await fetch(`${service.url}/scim/v2/Users`, { method: "POST", headers, body: "{}" });
    expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/scim+json"]);
  });
});

describe("a creation date that no calendar has", () => {
  // A data set or an import may say microseconds; the second is of a year with five digits.
  it.each([1_790_000_000_000_000, 253_402_300_800])(
    "is left out, and hides nobody: %i",
    async (creation_date) => {
      const name = `aa-${creation_date}`;
      const operations = [
        { op: "put_user" as const, user: { username: name, creation_date } },
        { op: "put_group" as const, name, creation_date },
      ];
      await service.directory.batches.apply(operations, { managed: false });
      const userName = `aa-beside-${creation_date}`;
      await newUser(userName);
      const users = await call(service, "GET", "/Users?count=1000");
      expect(users.body.Resources.map((user: { userName: string }) => user.userName)).toEqual(
        expect.arrayContaining([name, userName]),
      );
      expect((await call(service, "GET", "/Groups?count=1000")).status).toBe(200);
      const user = await call(service, "GET", `/Users/${await idOf("Users", name)}`);
      expect([user.status, "created" in user.body.meta]).toEqual([200, false]);
      const left = await patch(`/Users/${user.body.id}`, { op: "replace", value: { active: false } });
      expect(left.body.active).toBe(false);
    },
  );
});

describe("addresses of resources", () => {
  it("come from authorizer.public_url, never from a header", async () => {
    const config = { "authorizer.public_url": "https://authz.example.com/base/" };
    const other = await startAuthorizer({ config });
    try {
      const { body } = await call(other, "GET", "/ServiceProviderConfig", undefined, other.token);
      expect(body.meta.location).toBe("https://authz.example.com/base/scim/v2/ServiceProviderConfig");
    } finally {
      await other.close();
    }
  });
});
