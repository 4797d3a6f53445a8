/** Changes of SCIM that could be read as nothing: they are done as they say, or refused (spec/scim §2). */

import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call, startScim } from "./kit.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const service = await closedAfterAll(startScim());

const patch = (path: string, ...Operations: readonly object[]) =>
  call(service, "PATCH", path, { schemas: [PATCH], Operations });

let number = 0;
let user = "";
let group = "";
beforeEach(async () => {
  number += 1;
  const roles = [{ value: "Auditor" }, { value: "Admin", type: "work" }];
  const addresses = [
    { type: "work", locality: "Berlin" },
    { type: "home", locality: "Rome" },
  ];
  const send = { schemas: [USER], userName: `user-${number}`, active: true, roles, addresses };
  user = (await call(service, "POST", "/Users", send)).body.id;
  const whole = {
    schemas: [GROUP],
    displayName: `group-${number}`,
    externalId: "g",
    members: [{ value: user }],
  };
  group = (await call(service, "POST", "/Groups", whole)).body.id;
});

const members = async () =>
  ((await call(service, "GET", `/Groups/${group}`)).body.members ?? []).map(
    ({ value }: { value: string }) => value,
  );
const found = async () => (await call(service, "GET", `/Users/${user}`)).body;

describe("members of a group", () => {
  it("go, all of them, where the value of a removal is null, which is no value", async () => {
    expect((await patch(`/Groups/${group}`, { op: "remove", path: "members", value: null })).status).toBe(
      200,
    );
    expect(await members()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["an object with another name of the id", [{ id: "ID" }]],
    ["an object without members", [{}]],
    ["null", [null]],
    ["an empty text", [""]],
    ["an empty id", [{ value: "" }]],
    ["no id", [{ value: null }]],
  ])("are not left as they are, and 200, for %s", async (_name, given) => {
    const value = JSON.parse(JSON.stringify(given).replace("ID", user));
    for (const op of ["remove", "add", "replace"]) {
      const { status, body } = await patch(`/Groups/${group}`, { op, path: "members", value });
      expect([op, status, body.scimType]).toEqual([op, 400, "invalidValue"]);
    }
    const whole = { schemas: [GROUP], displayName: `group-${number}`, members: value };
    expect((await call(service, "PUT", `/Groups/${group}`, whole)).status).toBe(400);
    const another = { schemas: [GROUP], displayName: `another-${number}`, members: value };
    expect((await call(service, "POST", "/Groups", another)).status).toBe(400);
    expect(await members()).toEqual([user]);
  });
});

describe("a path with a filter", () => {
  it.each(["externalId", "displayName"])("chooses no value of %s of a group", async (name) => {
    const path = `${name}[value eq "x"]`;
    for (const op of ["remove", "replace"]) {
      const { status, body } = await patch(`/Groups/${group}`, { op, path, value: "y" });
      expect([status, body.scimType]).toEqual([400, "invalidPath"]);
    }
    const { body } = await call(service, "GET", `/Groups/${group}`);
    expect(body).toMatchObject({ displayName: `group-${number}`, externalId: "g" });
  });
});

describe("the state of a user", () => {
  it.each<[string, object]>([
    ["a path", { op: "replace", path: "active", value: null }],
    ["an addition", { op: "add", path: "active", value: null }],
    ["an object", { op: "replace", value: { active: null } }],
    ["the former form of Entra", { op: "replace", path: "active", value: [{ value: null }] }],
  ])("is not null: %s", async (_name, operation) => {
    const { status, body } = await patch(`/Users/${user}`, operation);
    expect([status, body.detail]).toEqual([400, expect.stringContaining("true or false")]);
    expect((await found()).active).toBe(true);
  });

  it("is not there twice in an object without a path", async () => {
    const value = { active: false, ACTIVE: true };
    const { status, body } = await patch(`/Users/${user}`, { op: "replace", value });
    expect([status, body.detail]).toEqual([400, expect.stringContaining("twice")]);
    expect(
      (await patch(`/Groups/${group}`, { op: "replace", value: { members: [], Members: [user] } })).status,
    ).toBe(400);
  });
});

describe("values that a removal names", () => {
  it("go in any letter case, as a filter finds them", async () => {
    const operation = { op: "remove", path: "roles", value: [{ value: "ADMIN" }] };
    expect((await patch(`/Users/${user}`, operation)).body.roles).toEqual([{ value: "Auditor" }]);
  });

  it("go by their other parts where they have no value, and no others do", async () => {
    const operation = { op: "remove", path: "addresses", value: [{ type: "home" }] };
    expect((await patch(`/Users/${user}`, operation)).body.addresses).toEqual([
      { type: "work", locality: "Berlin" },
    ]);
  });

  it.each<[string, unknown]>([
    ["parts that there are not", [{ role: "Admin" }]],
    ["nothing", [{}]],
    ["null", [null]],
  ])("are not left as they are for %s", async (_name, value) => {
    const { status, body } = await patch(`/Users/${user}`, { op: "remove", path: "roles", value });
    expect([status, body.scimType]).toEqual([400, "invalidValue"]);
    expect((await found()).roles).toHaveLength(2);
  });

  it("are all of them where the value is null", async () => {
    const { body } = await patch(`/Users/${user}`, { op: "remove", path: "roles", value: null });
    expect(body).not.toHaveProperty("roles");
  });
});
