/** Bounds of the cost of one call (spec/scim §2, spec/security §5.3): such calls once held up everybody else for seconds. */

import { expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call, startScim } from "./kit.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

const service = await closedAfterAll(startScim());

const patch = (path: string, ...Operations: readonly object[]) =>
  call(service, "PATCH", path, { schemas: [PATCH], Operations });
const search = (kind: string, asked: object) =>
  call(service, "POST", `${kind}/.search`, { schemas: [SEARCH], ...asked });
const faultOf = ({ body }: { readonly body: { readonly status: string; readonly scimType: string } }) =>
  `${body.status} ${body.scimType}`;

async function created(kind: "Users" | "Groups", body: object): Promise<string> {
  const schemas = [kind === "Users" ? USER : GROUP];
  const answer = await call(service, "POST", `/${kind}`, { schemas, ...body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** An object with members whose names are different paths. */
function inManyWays(path: (index: number) => string, count: number, value: unknown) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [path(index), value]));
}

it("counts the members of an operation without a path as operations", async () => {
  const user = await created("Users", { userName: "ways" });
  const titles = (count: number) => ({
    op: "add",
    value: inManyWays((index) => `emails[type eq "${index}"].value`, count, "n"),
  });
  expect((await patch(`/Users/${user}`, titles(100))).status).toBe(200);
  expect(faultOf(await patch(`/Users/${user}`, titles(60), titles(41)))).toBe("400 invalidValue");
  const group = await created("Groups", { displayName: "Ways" });
  const members = (count: number) => ({
    op: "add",
    value: inManyWays((index) => `urn:example:1.0:Extension:x${index}`, count, "x"),
  });
  expect((await patch(`/Groups/${group}`, members(1_000))).status).toBe(200);
  expect(faultOf(await patch(`/Groups/${group}`, members(600), members(401)))).toBe("400 invalidValue");
});

it("refuses values that a user could not have before it goes through them again", async () => {
  const user = await created("Users", { userName: "wide" });
  const value = Array.from({ length: 7 }, (_, index) => ({ value: `${index}${"x".repeat(10_000)}` }));
  const { body } = await patch(`/Users/${user}`, { op: "add", path: "phoneNumbers", value });
  expect(body).toMatchObject({ status: "400", scimType: "invalidValue" });
  expect(body.detail).toContain("phoneNumbers: more than 65536 characters");
});

it("takes a body of a megabyte for a user, and a larger one for the members of a group", async () => {
  const more = { ignored: "x".repeat(1_000_000), also: "x".repeat(100_000) };
  expect((await call(service, "POST", "/Users", { schemas: [USER], userName: "fat", ...more })).status).toBe(
    413,
  );
  await created("Groups", { displayName: "Fat", ...more });
});

it("reads filters, paths and lists of attributes of at most 16,384 characters", async () => {
  const user = await created("Users", { userName: "long" });
  const filter = (length: number) => `title eq "${"x".repeat(length - 11)}"`;
  expect((await search("/Users", { filter: filter(16_384) })).status).toBe(200);
  for (const kind of ["/Users", "/Groups", ""])
    expect(faultOf(await search(kind, { filter: filter(16_385) }))).toBe("400 invalidFilter");
  const path = `emails[value eq "${"x".repeat(16_384)}"]`;
  expect(faultOf(await patch(`/Users/${user}`, { op: "remove", path }))).toBe("400 invalidPath");
  const attributes = "title,".repeat(3_000);
  for (const asked of [{ attributes }, { excludedAttributes: attributes }])
    expect(faultOf(await search("/Users", asked))).toBe("400 invalidValue");
});

it("makes the value that a filter describes with the names and types of the schema", async () => {
  const user = await created("Users", { userName: "described" });
  const add = { op: "add", path: 'emails[TYPE eq "work"].value', value: "a@example.com" };
  const { body } = await patch(`/Users/${user}`, add);
  expect(body.emails).toEqual([{ type: "work", value: "a@example.com" }]);
  const wrong = { op: "add", path: "emails[type eq 5].value", value: "b@example.com" };
  expect((await patch(`/Users/${user}`, wrong)).status).toBe(400);
});

it("ends a page before it is larger than 4 MiB; the next one goes on where it ended", async () => {
  const names = Array.from({ length: 75 }, (_, index) => `heavy-${String(index).padStart(2, "0")}`);
  for (const userName of names) await created("Users", { userName, title: "x".repeat(60_000) });
  const asked = { filter: 'userName sw "heavy-"', count: 1_000 };
  const found: string[] = [];
  const sizes: number[] = [];
  while (found.length < names.length) {
    const { body, text } = await search("/Users", { ...asked, startIndex: found.length + 1 });
    expect(text.length).toBeLessThan(4.1 * 1_024 * 1_024);
    expect(body).toMatchObject({ totalResults: names.length, itemsPerPage: body.Resources.length });
    found.push(...body.Resources.map((one: { readonly userName: string }) => one.userName));
    sizes.push(body.itemsPerPage);
  }
  expect(found).toEqual(names);
  expect(sizes).toHaveLength(2);
});
