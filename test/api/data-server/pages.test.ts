import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { startApi } from "./api-kit.ts";

const NAMES = ["Z", "a", "B", "é", "｡", "𐀀", "_", "-", "1", "ab", "abc", "b"];
const SORTED = [...NAMES].sort(compareUtf8);
const ALLOW = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };

const api = await closedAfterAll(startApi());
beforeAll(async () => {
  const { users, groups, policies, credentials, externalPrincipals } = api.authorizer.directory;
  await users.create({ username: "holder", email: "h@x.io", external_id: "ext" });
  await groups.create({ name: "holder" });
  for (const name of NAMES) {
    await users.create({ username: `n${name}` });
    await groups.create({ name: `n${name}` });
    await policies.create({ name: `n${name}`, statement: [ALLOW] });
    await groups.addMember("holder", `n${name}`);
    await groups.addMember(`n${name}`, "holder");
    await groups.attachPolicy("holder", `n${name}`);
    await users.attachPolicy("holder", `n${name}`);
    await credentials.create("holder", { access_key_id: `n${name}`, secret_access_key: "s" });
    await externalPrincipals.create("holder", `n${name}`);
  }
});

const LISTS: [string, string, string][] = [
  ["users", "/auth/users", "username"],
  ["groups", "/auth/groups", "name"],
  ["policies", "/auth/policies", "name"],
  ["members", "/auth/groups/holder/members", "username"],
  ["groups of a user", "/auth/users/holder/groups", "name"],
  ["policies of a group", "/auth/groups/holder/policies", "name"],
  ["policies of a user", "/auth/users/holder/policies", "name"],
  ["effective policies", "/auth/users/holder/policies?effective=true", "name"],
  ["credentials", "/auth/users/holder/credentials", "access_key_id"],
  ["external principals", "/auth/users/holder/external/principals/ls", "id"],
];

const withQuery = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;

describe.each(LISTS)("the list of %s", (_name, path, key) => {
  const names = (body: { results: Record<string, string>[] }): string[] =>
    body.results.map((item) => item[key] as string);

  it.each([1, 5, NAMES.length, 1000, -1])(
    "in pages of %i is whole, in UTF-8 order, and ends with an empty offset",
    async (amount) => {
      const seen: string[] = [];
      const sizes: number[] = [];
      for (let after = "", more = true; more; ) {
        const query = `prefix=n&after=${encodeURIComponent(after)}&amount=${amount}`;
        const { status, body } = await api.call("GET", withQuery(path, query));
        expect(status).toBe(200);
        const { next_offset, has_more, max_per_page, results } = body.pagination;
        expect({ has_more, max_per_page, results }).toEqual({
          has_more: next_offset !== "",
          max_per_page: 1000,
          results: body.results.length,
        });
        if (next_offset !== "") expect(next_offset).toBe(names(body).at(-1));
        seen.push(...names(body));
        sizes.push(results);
        after = next_offset;
        more = next_offset !== "";
      }
      expect(seen).toEqual(SORTED.map((name) => `n${name}`));
      // A page that is exactly full is followed by none.
      expect(sizes.length).toBe(amount < 1 ? 1 : Math.ceil(NAMES.length / amount));
    },
  );

  it("with a prefix has what begins with it, and its offset is the whole name", async () => {
    const { body } = await api.call("GET", withQuery(path, "prefix=na&amount=2"));
    expect(names(body)).toEqual(["na", "nab"]);
    expect(body.pagination.next_offset).toBe("nab");
    const rest = await api.call("GET", withQuery(path, "prefix=na&amount=2&after=nab"));
    expect(names(rest.body)).toEqual(["nabc"]);
    const none = await api.call("GET", withQuery(path, "prefix=nothing"));
    expect(none.body).toMatchObject({ results: [], pagination: { results: 0, next_offset: "" } });
  });

  it.each(["", "amount=", "amount=0"])("asked with %j has up to 100 items", async (query) => {
    const { status, body } = await api.call("GET", withQuery(path, query));
    expect(status).toBe(200);
    expect(body.results.length).toBeGreaterThanOrEqual(NAMES.length);
  });

  it.each(["1001", "-2", "x", "1.5", "1e2", "99999999999", " 1"])("refuses amount %j", async (amount) => {
    const { status, body } = await api.call("GET", withQuery(path, `amount=${amount}`));
    expect(status).toBe(400);
    expect(body.message).toContain("amount");
  });

  it("refuses a parameter that is given twice", async () => {
    expect((await api.call("GET", withQuery(path, "after=a&after=b"))).status).toBe(400);
  });
});

describe("a user look-up", () => {
  it.each([
    ["external_id=ext", ["holder"]],
    ["email=h%40x.io", ["holder"]],
    ["external_id=ext&email=h%40x.io", ["holder"]],
    ["external_id=ext&email=other", []],
    ["external_id=ex", []],
    ["external_id=EXT", []],
    ["external_id=", []],
    ["email=", []],
    ["id=", []],
    ["id=0", []],
    ["id=42", []],
    [`external_id=${"x".repeat(3000)}`, []],
  ])("by %s finds %j", async (query, found) => {
    const { status, body } = await api.call("GET", `/auth/users?amount=2&${query}`);
    expect(status).toBe(200);
    expect(body.results.map(({ username }: { username: string }) => username)).toEqual(found);
  });

  it("by an id that is no number is refused", async () => {
    expect((await api.call("GET", "/auth/users?id=abc")).status).toBe(400);
  });
});

describe("paging while others write", () => {
  it("never repeats, never leaves out what was there all the time", async () => {
    const stable = Array.from({ length: 60 }, (_, index) => `w${String(index * 2).padStart(4, "0")}`);
    for (const username of stable) await api.call("POST", "/auth/users", { username });
    let writing = true;
    const writer = (async () => {
      for (let index = 0; writing; index = (index + 1) % 60) {
        const username = `w${String(index * 2 + 1).padStart(4, "0")}`;
        await api.call("POST", "/auth/users", { username });
        await api.call("DELETE", `/auth/users/${username}`);
      }
    })();
    for (let round = 0; round < 5; round++) {
      const seen: string[] = [];
      for (let after = "", more = true; more; ) {
        const { body } = await api.call("GET", `/auth/users?prefix=w&amount=7&after=${after}`);
        seen.push(...body.results.map(({ username }: { username: string }) => username));
        after = body.pagination.next_offset;
        more = after !== "";
      }
      expect(seen).toEqual([...new Set(seen)].sort());
      expect(seen.filter((name) => stable.includes(name))).toEqual(stable);
    }
    writing = false;
    await writer;
  });
});

describe("a list of large policies", () => {
  const LARGE = Array.from({ length: 80 }, (_, index) => `large-${String(index).padStart(3, "0")}`);
  const statement = Array.from({ length: 300 }, (_, index) => ({
    ...ALLOW,
    resource: `arn:svc:fs:::repository/${"x".repeat(200)}${index}`,
  }));

  it.each(["/auth/policies", "/auth/users/many/policies", "/auth/users/many/policies?effective=true"])(
    "of %s ends a page early, and is whole over all pages",
    async (path) => {
      const { users, policies } = api.authorizer.directory;
      if ((await policies.list({ prefix: "large-", amount: 1 })).results.length === 0) {
        await users.create({ username: "many" });
        for (const name of LARGE) {
          await policies.create({ name, statement });
          await users.attachPolicy("many", name);
        }
      }
      const seen: string[] = [];
      let pages = 0;
      for (let after = "", more = true; more; pages++) {
        const { body } = await api.call("GET", withQuery(path, `prefix=large-&amount=1000&after=${after}`));
        expect(JSON.stringify(body).length).toBeLessThan(7 << 20);
        seen.push(...body.results.map(({ name }: { name: string }) => name));
        after = body.pagination.next_offset;
        more = after !== "";
        if (more) expect(after).toBe(seen.at(-1));
      }
      expect(seen).toEqual(LARGE);
      expect(pages).toBeGreaterThan(1);
    },
  );
});
