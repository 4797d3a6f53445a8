import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { openedEach } from "../opened.ts";
import { BACKENDS, codeOf, policy } from "./backends.ts";
import { openTestDirectory } from "./open-test-directory.ts";

describe.each(BACKENDS)("users, groups and policies on $name", (backend) => {
  const bed = openedEach(() => openTestDirectory({ backend, now: () => 1_700_000_000 }));

  it("gives back a user as it was created, without fields that are unset or empty", async () => {
    const { users } = bed.directory;
    const alice = {
      username: "alice",
      creation_date: 1_700_000_000,
      friendly_name: "Alice",
      source: "internal",
      properties: { department: "sales", levels: [1, null, { deep: true }] },
    };
    await users.create({ ...alice, email: "", external_id: "" } as never);
    expect(await users.get("alice")).toEqual(alice);
  });

  it("changes, leaves and removes fields of a user", async () => {
    const { users } = bed.directory;
    await users.create({ username: "alice", friendly_name: "Alice", email: "a@x.org", properties: { a: 1 } });
    await users.update("alice", { friendly_name: "Al", email: null });
    expect(await users.get("alice")).toEqual({
      username: "alice",
      creation_date: 1_700_000_000,
      friendly_name: "Al",
      properties: { a: 1 },
    });
    expect(await codeOf(users.update("nobody", { email: "b@x.org" }))).toBe("not_found");
  });

  it("refuses what exists and does not find what does not", async () => {
    const { users, groups, policies } = bed.directory;
    await users.create({ username: "same" });
    await groups.create({ name: "same" });
    await policies.create(policy("same"));
    expect(await codeOf(users.create({ username: "same" }))).toBe("already_exists");
    expect(await codeOf(groups.create({ name: "same" }))).toBe("already_exists");
    expect(await codeOf(policies.create(policy("same")))).toBe("already_exists");
    await users.delete("same");
    await groups.delete("same");
    await policies.delete("same");
    expect(await codeOf(users.delete("same"))).toBe("not_found");
    expect(await codeOf(groups.delete("same"))).toBe("not_found");
    expect(await codeOf(policies.delete("same"))).toBe("not_found");
    expect(await codeOf(users.get("same"))).toBe("not_found");
    expect(await codeOf(groups.get("same"))).toBe("not_found");
    expect(await codeOf(policies.get("same"))).toBe("not_found");
    expect(await codeOf(policies.update(policy("same")))).toBe("not_found");
  });

  it("keeps a policy exactly: empty acl, null condition, odd condition fields", async () => {
    const { policies } = bed.directory;
    const condition = JSON.parse('{"StringLike":{"__proto__":["a*"],"constructor":["b"]}}');
    const given = {
      name: "P",
      acl: "",
      creation_date: 0,
      statement: [
        {
          effect: "deny",
          action: ["fs:*"],
          resource: '["arn:svc:fs:::repository/a","arn:svc:fs:::repository/b"]',
        },
        { effect: "allow", action: ["*"], resource: "*", condition: null },
        { effect: "allow", action: ["fs:Read*"], resource: "*", condition },
      ],
    };
    await policies.create(given);
    expect(JSON.stringify(await policies.get("P"))).toBe(
      JSON.stringify({ name: "P", creation_date: 0, acl: "", statement: given.statement }),
    );
    await policies.update(policy("P"));
    expect(await policies.get("P")).toEqual({ ...policy("P"), creation_date: 1_700_000_000 });
  });

  it("names every problem of what it refuses, and stores nothing of it", async () => {
    const { users, policies, groups } = bed.directory;
    const bad = { name: "a/b", statement: [{ effect: "Allow", action: ["zz:Do"], resource: "" }] };
    const failure = await policies.create(bad).catch((error) => error);
    expect(failure).toBeInstanceOf(AuthorizerError);
    expect(failure.code).toBe("invalid_request");
    expect(failure.problems.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      "/name",
      "/statement/0/action/0",
      "/statement/0/effect",
      "/statement/0/resource",
    ]);
    expect(await codeOf(users.create({ username: "a*" }))).toBe("invalid_request");
    expect(await codeOf(users.create({ username: "a", email: "x\u0000" }))).toBe("invalid_request");
    expect(await codeOf(users.create({ username: "a", creation_date: 1.5 }))).toBe("invalid_request");
    expect(await codeOf(groups.create({ name: ".." }))).toBe("invalid_request");
    expect((await users.list({ amount: 10 })).results).toEqual([]);
  });

  it.each([
    ["an empty text", ""],
    ["a text of 5,000 characters", "x".repeat(5_000)],
    ["a text of 1,200 bytes in 400 characters", "日".repeat(400)],
    ["a control character", "a\u0007b"],
    ["half of a surrogate pair", "a\ud800"],
    ["a dot", "."],
  ])("does not find %s anywhere and never fails on it", async (_, odd) => {
    const { users, groups, policies, credentials, externalPrincipals, resources } = bed.directory;
    await users.create({ username: "alice" });
    for (const lookup of [
      users.get(odd),
      users.delete(odd),
      users.groups(odd, { amount: 1 }),
      users.attachPolicy("alice", odd),
      groups.get(odd),
      groups.addMember(odd, "alice"),
      policies.get(odd),
      policies.delete(odd),
      credentials.getWithSecret(odd),
      credentials.get("alice", odd),
      credentials.delete("alice", odd),
      externalPrincipals.get(odd),
      externalPrincipals.delete("alice", odd),
    ]) {
      expect(await codeOf(lookup)).toBe("not_found");
    }
    const empty = { results: [], next_offset: "" };
    expect(await users.list({ amount: 1 }, { email: odd })).toEqual(empty);
    expect(await users.list({ amount: 1 }, { external_id: odd })).toEqual(empty);
    expect(await resources.firstOf([{ type: odd, id: odd }])).toBeUndefined();
    expect(await resources.list(odd, { amount: 1 })).toEqual(empty);
    expect(await bed.directory.principal(odd)).toBeUndefined();
    if (odd === "" || odd === ".") return;
    expect(await users.list({ amount: 1, prefix: odd })).toEqual(empty);
    expect(await users.list({ amount: 1, after: odd })).toEqual(empty);
  });

  it("keeps external ids unique over users and finds users by them and by e-mail", async () => {
    const { users } = bed.directory;
    await users.create({ username: "a", external_id: "sso|1", email: "both@x.org" });
    await users.create({ username: "c", email: "both@x.org" });
    await users.create({ username: "b", email: "both@x.org" });
    expect(await codeOf(users.create({ username: "d", external_id: "sso|1" }))).toBe("already_exists");
    const names = async (filter: object, page = {}) =>
      (await users.list({ amount: 10, ...page }, filter)).results.map(({ username }) => username);
    expect(await names({ external_id: "sso|1" })).toEqual(["a"]);
    expect(await names({ external_id: "sso|2" })).toEqual([]);
    expect(await names({ email: "both@x.org" })).toEqual(["a", "b", "c"]);
    expect(await names({ email: "both@x.org" }, { after: "a", prefix: "b" })).toEqual(["b"]);
    expect(await users.list({ amount: 2 }, { email: "both@x.org" })).toMatchObject({ next_offset: "b" });
    await users.update("b", { email: "other@x.org" });
    expect(await names({ email: "both@x.org" })).toEqual(["a", "c"]);
    await users.delete("a");
    await users.create({ username: "d", external_id: "sso|1" });
    expect(await names({ external_id: "sso|1" })).toEqual(["d"]);
    expect(await names({ email: "both@x.org" })).toEqual(["c"]);
  });

  it("claims a token once, and remembers it for a day after its expiry", async () => {
    let now = 1_000;
    const own = await openTestDirectory({ backend, now: () => now });
    const { tokenClaims } = own.directory;
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => codeOf(tokenClaims.claim("token", 1_100))),
    );
    expect(claims.filter((code) => code === "ok")).toHaveLength(1);
    expect(claims.filter((code) => code === "invalid_request")).toHaveLength(7);
    expect(await codeOf(tokenClaims.claim("late", 1_000))).toBe("invalid_request");
    now = 1_100 + 24 * 3_600;
    expect(await codeOf(tokenClaims.claim("token", 200_000))).toBe("invalid_request");
    now += 1;
    await tokenClaims.claim("other", 200_000);
    await own.directory.close();
    const snapshot = await own.store.snapshot();
    expect((await snapshot.scan("claim", { limit: 10 })).map(({ key }) => key)).toEqual(["other"]);
    expect(await snapshot.scan("claim_expiry", { limit: 10 })).toHaveLength(1);
    snapshot.release();
    await own.close();
  });
});
