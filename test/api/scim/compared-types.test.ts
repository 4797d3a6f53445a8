/** Values that filters compare with, by the types of the attributes (spec/scim §2, RFC 7644, section 3.4.2.2). */

import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call, startScim } from "./kit.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

const service = await closedAfterAll(startScim());

const search = (filter: string) =>
  call(service, "POST", "/Users/.search", {
    schemas: [SEARCH],
    filter: `userName sw "user-${number}" and (${filter})`,
  });
const patch = (...Operations: readonly object[]) =>
  call(service, "PATCH", `/Users/${user}`, { schemas: [PATCH], Operations });

let number = 0;
let user = "";
beforeEach(async () => {
  number += 1;
  const roles = [{ value: "reader", primary: true }, { value: "writer" }];
  const send = { schemas: [USER], userName: `user-${number}-`, active: true, title: "5", roles };
  user = (await call(service, "POST", "/Users", send)).body.id;
});

describe("a flag", () => {
  it.each([
    ['active eq "True"', 1],
    ['active eq "false"', 0],
    ['active ne "FALSE"', 1],
    ['roles[primary eq "True" and value eq "reader"]', 1],
  ])("is found by its text, as Entra writes it: %s", async (filter, total) => {
    expect((await search(filter)).body.totalResults).toBe(total);
  });

  it("chooses the value of a change, as Entra sends roles", async () => {
    const replaced = await patch({ op: "replace", path: 'roles[primary eq "True"].value', value: "owner" });
    expect(replaced.body.roles).toEqual([{ value: "owner", primary: true }, { value: "writer" }]);
    const removed = await patch({ op: "remove", path: 'roles[primary eq "True"]' });
    expect(removed.body.roles).toEqual([{ value: "writer" }]);
  });
});

describe("no resource is said to be found by a value that the attribute cannot have", () => {
  it.each([
    "active gt true",
    "active co true",
    'active eq "yes"',
    "active eq 1",
    "userName eq 5",
    "title ge 4",
    "title eq true",
    'name eq "Ann"',
    'meta.created gt "yesterday"',
    "emails.value eq 5",
  ])("%s", async (filter) => {
    const { status, body } = await search(filter);
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });

  it("in a change", async () => {
    const { status, body } = await patch({ op: "remove", path: "roles[primary eq 1]" });
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });
});
