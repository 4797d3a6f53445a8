import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DirectoryChange } from "../../src/directory/directory.ts";
import { BACKENDS, codeOf, policy } from "./backends.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

describe.each(BACKENDS)("what decisions read on $name", (backend) => {
  let bed: TestDirectory;
  beforeEach(async () => {
    bed = await openTestDirectory({ backend });
    const { users, groups, policies } = bed.directory;
    await users.create({ username: "alice", properties: { department: "sales" } });
    for (const name of ["G2", "G1"]) await groups.create({ name });
    for (const name of ["～", "b", "a", "😀"]) await policies.create(policy(name));
  });
  afterEach(() => bed.close());

  it("is a user's policies, distinct by name in byte order, with all ways they come", async () => {
    const { users, groups } = bed.directory;
    await groups.addMember("G2", "alice");
    await groups.addMember("G1", "alice");
    await groups.attachPolicy("G1", "b");
    await groups.attachPolicy("G2", "b");
    await groups.attachPolicy("G2", "😀");
    await users.attachPolicy("alice", "b");
    await users.attachPolicy("alice", "～");
    const alice = (await bed.directory.principal("alice"))!;
    expect(alice.username).toBe("alice");
    expect(alice.properties).toEqual({ department: "sales" });
    expect(alice.groups).toHaveLength(2);
    expect(alice.policies.map(({ name, via }) => [name, via])).toEqual([
      ["b", [{ user: "alice" }, { group: "G1" }, { group: "G2" }]],
      ["～", [{ user: "alice" }]],
      ["😀", [{ group: "G2" }]],
    ]);
    expect(await bed.directory.principal("nobody")).toBeUndefined();
  });

  it("has nothing through a name that a known group does not have", async () => {
    const { users, groups } = bed.directory;
    await users.create({ username: "bob" });
    for (const name of ["alice", "bob"]) await groups.addMember("G1", name);
    await groups.attachPolicy("G1", "a");
    const alice = (await bed.directory.principal("alice"))!;
    const [id] = alice.groups;
    const bob = (await bed.directory.principal("bob"))!;
    expect(bob.groups).toEqual([id]);
    // As a restoration leaves it that puts back what the user had before the group was renamed.
    await groups.removeMember("G1", "bob");
    const key = `${bob.id}/G0`;
    await bed.store.commit({ put: [{ partition: "user_group", key, value: JSON.stringify({ id }) }] });
    expect((await bed.directory.principal("bob"))!.groups).toEqual([]);
    expect(alice.held).toHaveLength(1);
  });

  it("shares the statements of a policy between users, and has new ones after a write", async () => {
    const { users, policies } = bed.directory;
    await users.create({ username: "bob" });
    await users.attachPolicy("alice", "a");
    await users.attachPolicy("bob", "a");
    const of = async (name: string) => (await bed.directory.principal(name))!.policies[0]!;
    const before = await of("alice");
    expect((await of("bob")).statement).toBe(before.statement);
    expect((await of("bob")).version).toBe(before.version);
    await policies.update(policy("a", "arn:svc:fs:::repository/x"));
    const after = await of("alice");
    expect(after.id).toBe(before.id);
    expect(after.version).not.toBe(before.version);
    expect(after.statement).toEqual(policy("a", "arn:svc:fs:::repository/x").statement);
    await policies.delete("a");
    await policies.create(policy("a"));
    await users.attachPolicy("alice", "a");
    expect((await of("alice")).id).not.toBe(before.id);
  });

  it("shares equal lists of actions between policies, and keeps different ones apart", async () => {
    const { users, policies } = bed.directory;
    const lists = [
      ["fs:ReadObject", "fs:ListObjects"],
      ["fs:ReadObject", "fs:ListObjects"],
      ["fs:ReadObject"],
    ];
    for (const [index, action] of lists.entries()) {
      const [statement] = policy("").statement;
      await policies.create({ name: `list-${index}`, statement: [{ ...statement!, action }] });
      await users.attachPolicy("alice", `list-${index}`);
    }
    const found = (await bed.directory.principal("alice"))!.policies.map(
      ({ statement }) => statement[0]!.action,
    );
    expect(found).toEqual(lists);
    expect(found[1]).toBe(found[0]);
  });

  it("is told to have changed by exact ids, after the commit and before the writer hears", async () => {
    const { users, groups, policies, credentials, externalPrincipals, tokenClaims } = bed.directory;
    const ids = { alice: (await bed.directory.principal("alice"))!.id, G: "", P: "" };
    await groups.addMember("G1", "alice");
    ids.G = (await bed.directory.principal("alice"))!.groups[0]!;
    await users.attachPolicy("alice", "a");
    ids.P = (await bed.directory.principal("alice"))!.policies[0]!.id;
    const changes: DirectoryChange[] = [];
    const stop = bed.directory.onChange((change) => changes.push(change));
    const changesOf = async (write: () => Promise<unknown>) => {
      changes.length = 0;
      const done = write().then(() => [...changes]);
      return done;
    };
    const alice = [{ users: [ids.alice] }];
    expect(await changesOf(() => users.update("alice", { email: "a@x.org" }))).toEqual(alice);
    expect(await changesOf(() => users.attachPolicy("alice", "b"))).toEqual(alice);
    expect(await changesOf(() => users.detachPolicy("alice", "b"))).toEqual(alice);
    expect(await changesOf(() => users.detachPolicy("alice", "b"))).toEqual([]);
    expect(await changesOf(() => groups.removeMember("G1", "alice"))).toEqual(alice);
    expect(await changesOf(() => groups.addMember("G1", "alice"))).toEqual(alice);
    expect(await changesOf(() => codeOf(groups.addMember("G1", "alice")))).toEqual([]);
    expect(await changesOf(() => groups.attachPolicy("G1", "a"))).toEqual([{ groups: [ids.G] }]);
    expect(await changesOf(() => groups.detachPolicy("G1", "a"))).toEqual([{ groups: [ids.G] }]);
    expect(await changesOf(() => policies.update(policy("a")))).toEqual([{ policies: [ids.P] }]);
    expect(await changesOf(() => policies.delete("a"))).toEqual([{ policies: [ids.P] }]);
    expect(await changesOf(() => groups.delete("G1"))).toEqual([{ groups: [ids.G] }]);
    expect(await changesOf(() => credentials.create("alice"))).toEqual(alice);
    expect(await changesOf(() => externalPrincipals.create("alice", "x"))).toEqual(alice);
    expect(await changesOf(() => users.delete("alice"))).toEqual(alice);
    expect(await changesOf(() => tokenClaims.claim("t", 9_999_999_999))).toEqual([]);
    const [created] = await changesOf(() => users.create({ username: "alice" }));
    expect(created).toEqual({ users: [(await bed.directory.principal("alice"))!.id] });
    expect(created?.users).not.toEqual([ids.alice]);
    stop();
    expect(await changesOf(() => users.delete("alice"))).toEqual([]);
  });

  it("already shows the change to whoever is told", async () => {
    const seen: Promise<number | undefined>[] = [];
    bed.directory.onChange(() =>
      seen.push(bed.directory.principal("alice").then((alice) => alice?.policies.length)),
    );
    await bed.directory.users.attachPolicy("alice", "a");
    await bed.directory.users.detachPolicy("alice", "a");
    expect(await Promise.all(seen)).toEqual([1, 0]);
  });
});
