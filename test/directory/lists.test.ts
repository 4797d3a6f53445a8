import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page, PageRequest } from "../../src/directory/directory.ts";
import { BACKENDS, codeOf, policy } from "./backends.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

/** In UTF-8 byte order, which puts U+FF5E before the astral 😀 and capitals before small letters. */
const NAMES = ["B", "a", "a.b", "a/b", "aa", "ab", "b", "é", "日本", "～", "😀"];
const SHUFFLED = [...NAMES].sort((a, b) => a.length * 7 + a.charCodeAt(0) - (b.length * 7 + b.charCodeAt(0)));

describe.each(BACKENDS)("lists on $name", (backend) => {
  let bed: TestDirectory;
  /** A directory with one policy, which some hold. */
  let held: TestDirectory;
  const lists: Record<string, (page: PageRequest) => Promise<Page<unknown>>> = {};

  beforeAll(async () => {
    bed = await openTestDirectory({ backend });
    const { users, groups, policies, credentials, externalPrincipals } = bed.directory;
    await users.create({ username: "holder" });
    await groups.create({ name: "holder" });
    for (const name of SHUFFLED) {
      await groups.create({ name });
      await groups.addMember(name, "holder");
      await users.create({ username: name });
      await groups.addMember("holder", name);
      await credentials.create("holder", { access_key_id: name, secret_access_key: "secret" });
      await externalPrincipals.create("holder", name);
      if (name.includes("/")) continue;
      await policies.create(policy(name));
      await users.attachPolicy("holder", name);
      await groups.attachPolicy("holder", name);
    }
    await users.delete("holder").then(() => users.create({ username: "other" }));
    await users.create({ username: "holder" });
    for (const name of SHUFFLED) {
      await groups.addMember(name, "holder");
      await credentials.create("holder", { access_key_id: name, secret_access_key: "secret" });
      await externalPrincipals.create("holder", name);
      if (!name.includes("/")) await users.attachPolicy("holder", name);
    }
    lists["members"] = (page) => groups.members("holder", page);
    lists["groups of a user"] = (page) => users.groups("holder", page);
    lists["policies"] = (page) => policies.list(page);
    lists["policies of a user"] = (page) => users.policies("holder", page);
    lists["policies of a group"] = (page) => groups.policies("holder", page);
    held = await openTestDirectory({ backend });
    const { directory: other } = held;
    await other.policies.create(policy("held"));
    for (const name of [...SHUFFLED, "a-none", "none"]) {
      await other.users.create({ username: name });
      await other.groups.create({ name });
      if (name.endsWith("none")) continue;
      await other.users.attachPolicy(name, "held");
      await other.groups.attachPolicy(name, "held");
    }
    lists["users of a policy"] = (page) => other.policies.users("held", page);
    lists["groups of a policy"] = (page) => other.policies.groups("held", page);
    lists["credentials"] = (page) => credentials.list("holder", page);
    lists["external principals"] = (page) => externalPrincipals.list("holder", page);
  });
  afterAll(() => Promise.all([bed.close(), held.close()]));

  const keyOf = (item: unknown): string => {
    const { username, name, access_key_id, id } = item as Record<string, string>;
    return (access_key_id ?? id ?? name ?? username)!;
  };

  const kinds = [
    "members",
    "groups of a user",
    "policies",
    "policies of a user",
    "policies of a group",
    "users of a policy",
    "groups of a policy",
    "credentials",
    "external principals",
  ];

  describe.each(kinds)("%s", (kind) => {
    const names = kind.includes("policies") ? NAMES.filter((name) => !name.includes("/")) : NAMES;
    const keys = async (page: PageRequest) => (await lists[kind]!(page)).results.map(keyOf);

    it("come in UTF-8 byte order", async () => {
      expect(await keys({ amount: 1_000 })).toEqual(names);
    });

    it("come whole through pages of any size, with an empty offset on the last", async () => {
      for (const amount of [1, 2, 3, names.length - 1, names.length, names.length + 1]) {
        const seen: string[] = [];
        let after = "";
        let pages = 0;
        do {
          const page = await lists[kind]!({ amount, after });
          seen.push(...page.results.map(keyOf));
          after = page.next_offset;
          pages += 1;
          expect(page.results.length).toBeGreaterThan(0);
        } while (after !== "");
        expect(seen).toEqual(names);
        expect(pages).toBe(Math.ceil(names.length / amount));
      }
    });

    it("follow prefix and after together", async () => {
      expect(await keys({ amount: 10, prefix: "a" })).toEqual(names.filter((name) => name.startsWith("a")));
      expect(await keys({ amount: 10, prefix: "a", after: "a.b" })).toEqual(
        names.filter((name) => name.startsWith("a") && name > "a.b"),
      );
      expect(await keys({ amount: 10, prefix: "a", after: "B" })).toEqual(
        names.filter((name) => name.startsWith("a")),
      );
      expect(await keys({ amount: 10, prefix: "a", after: "b" })).toEqual([]);
      expect(await keys({ amount: 10, after: "aaa" })).toEqual(names.slice(names.indexOf("ab")));
      expect(await lists[kind]!({ amount: 1, prefix: "b" })).toMatchObject({ next_offset: "" });
    });

    it("are searched by a part of a name in letters of any case, through pages of any size", async () => {
      for (const search of ["B", ".", "é", "É", "本", "\u{1f600}", '"', "nothing", "%", "a", "\\"]) {
        const wanted = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()));
        expect(await keys({ amount: 1_000, search })).toEqual(wanted);
        for (const amount of [1, 2, Math.max(1, wanted.length)]) {
          const seen: string[] = [];
          let after = "";
          do {
            const page = await lists[kind]!({ amount, after, search });
            seen.push(...page.results.map(keyOf));
            after = page.next_offset;
          } while (after !== "");
          expect(seen).toEqual(wanted);
        }
      }
      expect(await keys({ amount: 10, prefix: "a", search: "B" })).toEqual(
        names.filter((name) => name.startsWith("a") && name.includes("b")),
      );
    });

    it("refuse an amount that is not 1 to 1000", async () => {
      for (const amount of [0, -1, 1_001, 1.5, Number.NaN]) {
        expect(await codeOf(lists[kind]!({ amount }))).toBe("invalid_request");
      }
    });
  });

  it("of users are searched by friendly name and e-mail, those of groups by description, and by nothing else", async () => {
    const { users, groups } = bed.directory;
    await users.create({
      username: "known",
      friendly_name: 'Ann "Quote" M\u00fcller',
      email: "Ann@Example.com",
      encryptedPassword: Buffer.from("needle-needle").toString("base64"),
      source: "needle",
    });
    await groups.create({ name: "described", description: "People of the \u202eharbour" });
    const found = async (search: string) =>
      (await users.list({ amount: 10, search })).results.map(({ username }) => username);
    for (const search of ['"quote"', "m\u00dcLLER", "@example", "ANN", "know"]) {
      expect([search, await found(search)]).toEqual([search, ["known"]]);
    }
    for (const search of ["needle", "friendly_name", "creation_date", "bmVlZGxl"]) {
      expect([search, await found(search)]).toEqual([search, []]);
    }
    const named = await groups.list({ amount: 10, search: "HARBOUR" });
    expect(named.results.map(({ name }) => name)).toEqual(["described"]);
    const byMail = await users.list({ amount: 10, search: "kno" }, { email: "Ann@Example.com" });
    expect(byMail.results.map(({ username }) => username)).toEqual(["known"]);
    expect((await users.list({ amount: 10, search: "x" }, { email: "Ann@Example.com" })).results).toEqual([]);
    await users.delete("known");
  });

  it("of a policy name neither who was made anew nor who held an earlier policy of the name", async () => {
    const { users, policies } = bed.directory;
    const held = async () =>
      (await policies.users("once", { amount: 10 })).results.map(({ username }) => username);
    await policies.create(policy("once"));
    for (const username of ["again", "still"]) {
      await users.create({ username });
      await users.attachPolicy(username, "once");
    }
    await users.delete("again");
    await users.create({ username: "again" });
    expect(await held()).toEqual(["still"]);
    await policies.delete("once");
    expect(await codeOf(held())).toBe("not_found");
    await policies.create(policy("once"));
    expect(await held()).toEqual([]);
    for (const username of ["again", "still"]) await users.delete(username);
  });

  it("of an unknown user or group are not found", async () => {
    const { users, groups, credentials, externalPrincipals } = bed.directory;
    const page = { amount: 1 };
    expect(await codeOf(users.groups("nobody", page))).toBe("not_found");
    expect(await codeOf(users.policies("nobody", page))).toBe("not_found");
    expect(await codeOf(groups.members("nothing", page))).toBe("not_found");
    expect(await codeOf(groups.policies("nothing", page))).toBe("not_found");
    expect(await codeOf(credentials.list("nobody", page))).toBe("not_found");
    expect(await codeOf(externalPrincipals.list("nobody", page))).toBe("not_found");
  });
});
