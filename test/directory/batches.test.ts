import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import type { DirectoryChange } from "../../src/directory/directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { BACKENDS, codeOf, failingStore, policy, slowStore } from "./backends.ts";
import { openDirectoryOn, openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const PUT = { managed: true };

const SMALL: readonly BatchOperation[] = [
  { op: "put_policy", policy: policy("P") },
  { op: "put_group", name: "G", description: "group" },
  { op: "attach_to_group", group: "G", policy: "P" },
  { op: "put_user", user: { username: "alice", email: "a@x.org", properties: { a: 1 } } },
  { op: "add_member", group: "G", username: "alice" },
  { op: "attach_to_user", username: "alice", policy: "P" },
  { op: "put_credential", username: "alice", access_key_id: "K", secret_access_key: "s" },
  { op: "put_principal", username: "alice", principal: "role/x" },
  {
    op: "put_resource_type",
    resourceType: {
      type: "record",
      arn: "arn:svc:demo:::record/{id}",
      id: "{id}",
      actions: { read: "demo:Read" },
    },
  },
  { op: "put_resource", resource: { type: "record", id: "r/1", properties: { status: "active" } } },
  {
    op: "put_policy",
    policy: {
      name: "Demo",
      statement: [{ effect: "allow", action: ["demo:Read"], resource: "arn:svc:demo:::record/*" }],
    },
  },
];

function many(count: number, mark: string): BatchOperation[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  return [
    { op: "put_policy", policy: policy("P", `arn:svc:fs:::repository/${mark}`) },
    { op: "put_group", name: "G", description: mark },
    { op: "attach_to_group", group: "G", policy: "P" },
    ...numbers.flatMap((number): BatchOperation[] => [
      { op: "put_user", user: { username: `u${number}`, friendly_name: mark, email: `${mark}@x.org` } },
      { op: "add_member", group: "G", username: `u${number}` },
      { op: "put_credential", username: `u${number}`, access_key_id: `K${number}`, secret_access_key: mark },
    ]),
  ];
}

describe.each(BACKENDS)("batches on $name", (backend) => {
  let bed: TestDirectory;
  beforeEach(async () => {
    bed = await openTestDirectory({ backend, now: () => 1_700_000_000 });
  });
  afterEach(async () => {
    await bed.directory.close();
    expect(await checkConsistency(bed.store)).toEqual([]);
    await bed.close();
  });

  it("put everything that the state then shows, with its marks", async () => {
    const { batches, resources } = bed.directory;
    await batches.apply(SMALL, PUT);
    const state = await batches.state({ secrets: true });
    const made = { value: true, managed: true };
    expect([...state.users.keys()]).toEqual(["alice"]);
    expect(state.users.get("alice")).toMatchObject({
      user: { managed: true, value: { username: "alice", email: "a@x.org", creation_date: 1_700_000_000 } },
      groups: new Map([["G", made]]),
      policies: new Map([["P", made]]),
      credentials: new Map([
        ["K", { managed: true, value: { secret_access_key: "s", creation_date: 1_700_000_000 } }],
      ]),
      externalPrincipals: new Map([["role/x", made]]),
    });
    expect(state.groups.get("G")).toMatchObject({
      group: { managed: true, value: { name: "G", description: "group" } },
      policies: new Map([["P", made]]),
    });
    expect([...state.policies.keys()]).toEqual(["Demo", "P"]);
    expect([...state.resources.keys()]).toEqual(["record"]);
    expect(await resources.firstOf([{ type: "record", id: "r/1" }])).toEqual({
      type: "record",
      id: "r/1",
      properties: { status: "active" },
    });
    expect(await resources.types()).toHaveLength(1);
    expect((await resources.list("record", { amount: 5 })).results).toHaveLength(1);
    const closed = await batches.state({ secrets: false });
    expect(closed.users.get("alice")!.credentials.get("K")!.value.secret_access_key).toBeUndefined();
  });

  it.each([10, 1_000])(
    "for an empty directory are refused by one that is not, with %d users",
    async (users) => {
      const { batches, policies } = bed.directory;
      const intoEmpty = { managed: false, intoEmpty: true };
      await policies.create(policy("Mine"));
      const refused = batches.apply(many(users, "first"), intoEmpty);
      await expect(refused).rejects.toThrow('somebody made the policy "Mine" meanwhile');
      expect((await batches.state({ secrets: false })).users.size).toBe(0);
      await policies.delete("Mine");
      await batches.apply(many(users, "first"), intoEmpty);
      expect((await batches.state({ secrets: false })).users.size).toBe(users);
    },
  );

  it("keep ids and change nothing when they are applied again", async () => {
    const { batches } = bed.directory;
    await batches.apply(SMALL, PUT);
    const before = await bed.directory.principal("alice");
    const changes: DirectoryChange[] = [];
    bed.directory.onChange((change) => changes.push(change));
    await batches.apply(SMALL, PUT);
    await batches.apply([], PUT);
    expect(changes).toEqual([]);
    expect(await bed.directory.principal("alice")).toEqual(before);
    await batches.apply([{ op: "put_user", user: { username: "alice", friendly_name: "Al" } }], PUT);
    const after = await bed.directory.principal("alice");
    expect(changes).toEqual([{ users: [before!.id] }]);
    expect(after).toMatchObject({ id: before!.id, groups: before!.groups, properties: {} });
    expect(await bed.directory.users.get("alice")).toEqual({
      username: "alice",
      creation_date: 1_700_000_000,
      friendly_name: "Al",
    });
  });

  it("leave by-hand things unmarked, and mark them when they put them", async () => {
    const { batches, users, groups } = bed.directory;
    await users.create({ username: "alice" });
    await groups.create({ name: "G" });
    await groups.addMember("G", "alice");
    const marks = async () => {
      const alice = (await batches.state({ secrets: false })).users.get("alice")!;
      return [alice.user.managed, alice.groups.get("G")!.managed];
    };
    expect(await marks()).toEqual([false, false]);
    await batches.apply([{ op: "add_member", group: "G", username: "alice" }], PUT);
    expect(await marks()).toEqual([false, true]);
    await batches.apply([{ op: "put_user", user: { username: "alice" } }], PUT);
    expect(await marks()).toEqual([true, true]);
  });

  it("refuse everything when one operation is wrong, naming each by its index", async () => {
    const { batches, users } = bed.directory;
    await users.create({ username: "bob", external_id: "sso|b" });
    await bed.directory.credentials.create("bob", { access_key_id: "K", secret_access_key: "s" });
    const failure = await batches
      .apply(
        [
          { op: "put_user", user: { username: "alice" } },
          { op: "add_member", group: "none", username: "alice" },
          { op: "put_user", user: { username: "x*" } },
          { op: "attach_to_user", username: "alice", policy: "none" },
          { op: "put_credential", username: "alice", access_key_id: "K", secret_access_key: "s" },
          { op: "put_user", user: { username: "carol", external_id: "sso|b" } },
          { op: "put_resource", resource: { type: "none", id: "1" } },
          { op: "put_policy", policy: { name: "Z", statement: [] } },
        ],
        PUT,
      )
      .catch((error) => error);
    expect(failure).toBeInstanceOf(AuthorizerError);
    expect(failure.code).toBe("invalid_request");
    expect(failure.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/1",
      "/2/username",
      "/3",
      "/4",
      "/5",
      "/6",
      "/7/statement",
    ]);
    expect([...(await batches.state({ secrets: false })).users.keys()]).toEqual(["bob"]);
  });

  it("follow their order: what is deleted and put again is new, with nothing of the old", async () => {
    const { batches } = bed.directory;
    await batches.apply(SMALL, PUT);
    const before = (await bed.directory.principal("alice"))!;
    await batches.apply(
      [
        { op: "delete_user", username: "alice" },
        { op: "put_user", user: { username: "alice", email: "a@x.org" } },
        { op: "put_credential", username: "alice", access_key_id: "K", secret_access_key: "new" },
        { op: "delete_policy", name: "P" },
        { op: "put_policy", policy: policy("P") },
        { op: "delete_user", username: "nobody" },
        { op: "remove_member", group: "none", username: "alice" },
        { op: "detach_from_user", username: "alice", policy: "P" },
        { op: "delete_credential", username: "alice", access_key_id: "none" },
        { op: "delete_resource", type: "record", id: "r/1" },
      ],
      PUT,
    );
    const after = (await bed.directory.principal("alice"))!;
    expect(after.id).not.toBe(before.id);
    expect(after).toMatchObject({ groups: [], policies: [] });
    expect((await bed.directory.groups.policies("G", { amount: 5 })).results).toEqual([]);
    expect((await bed.directory.credentials.getWithSecret("K")).secret_access_key).toBe("new");
    expect(await bed.directory.resources.firstOf([{ type: "record", id: "r/1" }])).toBeUndefined();
  });

  it("of many commits tell their progress and one change", async () => {
    const { batches } = bed.directory;
    const changes: DirectoryChange[] = [];
    bed.directory.onChange((change) => changes.push(change));
    const progress: number[] = [];
    const operations = many(200, "one");
    await batches.apply(operations, { ...PUT, onProgress: (done) => progress.push(done) });
    expect(changes).toHaveLength(1);
    expect(changes[0]?.users).toHaveLength(200);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(operations.length);
    expect((await batches.state({ secrets: false })).users.size).toBe(200);
    expect((await bed.directory.principal("u7"))?.policies).toHaveLength(1);
  });

  it("are all or nothing to readers in the same process, who are not kept waiting", async () => {
    const directory = await openDirectoryOn(slowStore(bed.store, 50));
    const { batches, users, groups } = directory;
    await batches.apply(many(150, "old"), PUT);
    let reads = 0;
    let done = false;
    const applied = batches
      .apply([...many(150, "new"), { op: "delete_user", username: "u0" }], PUT)
      .finally(() => {
        done = true;
      });
    const seen = new Set<string>();
    while (!done) {
      reads += 1;
      const { results } = await users.list({ amount: 1_000 });
      const marks = new Set(results.map(({ friendly_name }) => friendly_name));
      seen.add(`${results.length} ${[...marks].join()}`);
      const byMail = (await users.list({ amount: 1_000 }, { email: "old@x.org" })).results.length;
      expect([0, 150]).toContain(byMail);
      const members = (await groups.members("G", { amount: 1_000 })).results.length;
      expect([149, 150]).toContain(members);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await applied;
    await directory.close();
    expect(reads).toBeGreaterThan(2);
    expect(["150 old", "149 new"]).toEqual(expect.arrayContaining([...seen]));
    expect(seen).toContain("150 old");
    expect((await users.list({ amount: 1_000 }, { email: "new@x.org" })).results).toHaveLength(149);
  });

  it("and other writers get through side by side, as if one had come after the other", async () => {
    const { batches, users, groups, credentials } = bed.directory;
    await batches.apply(many(150, "one"), PUT);
    const order: string[] = [];
    const revisionOf = (name: string) => bed.directory.onChange(() => order.push(name));
    const stop = revisionOf("commit");
    await Promise.all([
      batches.apply(many(150, "two"), PUT),
      users.update("u3", { friendly_name: "changed", email: "changed@x.org" }),
      batches.apply([{ op: "delete_user", username: "u4" }], PUT),
    ]);
    stop();
    expect(order).toHaveLength(3);
    const u3 = await users.get("u3");
    expect([
      ["two", "two@x.org"],
      ["changed", "changed@x.org"],
    ]).toContainEqual([u3.friendly_name, u3.email]);
    // Either the deletion came last, or the batch made the user anew with all that belongs to it.
    const exists = (await codeOf(users.get("u4"))) === "ok";
    expect(await codeOf(credentials.getWithSecret("K4"))).toBe(exists ? "ok" : "not_found");
    const members = (await groups.members("G", { amount: 1_000 })).results;
    expect(members).toHaveLength(exists ? 150 : 149);
  });

  it("of thousands of writes are tried again when others were faster, and get through", async () => {
    const { batches, users } = bed.directory;
    await batches.apply(many(400, "one"), PUT);
    let done = false;
    const applied = batches.apply(many(400, "two"), PUT).finally(() => {
      done = true;
    });
    let writes = 0;
    while (!done) {
      await users.update("u3", { friendly_name: `by hand ${writes++}` });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await applied;
    expect(writes).toBeGreaterThan(0);
    expect((await users.get("u399")).friendly_name).toBe("two");
  });
});

describe.each(BACKENDS)("a batch that is interrupted on $name", (backend) => {
  const view = async (directory: TestDirectory["directory"]) => {
    const state = await directory.batches.state({ secrets: true });
    const users = [...state.users.values()].map(({ user, groups, credentials }) => [
      user.value.username,
      user.value.friendly_name,
      [...groups.keys()].join(),
      [...credentials.values()].map(({ value }) => value.secret_access_key).join(),
    ]);
    const resource = state.policies.get("P")?.value.statement[0]?.resource;
    return JSON.stringify([
      users,
      [...state.groups.values()].map(({ group }) => group.value.description),
      resource,
    ]);
  };

  it.each([false, true])(
    "between any two commits is undone or finished at the next start (answer lost: %s)",
    async (loseAnswers) => {
      const operations: BatchOperation[] = [
        ...many(60, "new"),
        { op: "delete_user", username: "u1" },
        { op: "put_user", user: { username: "added" } },
      ];
      const outcomes = new Set<string>();
      for (let commits = 0; ; commits++) {
        const { store, dispose } = await backend.open();
        const first = await openDirectoryOn(store);
        await first.batches.apply(many(60, "old"), PUT);
        const before = await view(first);
        await first.close();

        const failing = failingStore(store);
        failing.loseAnswers = loseAnswers;
        const crashing = await openDirectoryOn(failing);
        failing.commitsLeft = commits;
        const code = await codeOf(crashing.batches.apply(operations, PUT));
        const left = failing.commitsLeft;
        failing.commitsLeft = 0;
        // Readers of the crashed process and those of the next one see the same.
        const inCrashed = await view(crashing);
        await crashing.close();

        const next = await openDirectoryOn(store);
        const after = await view(next);
        await next.close();
        expect(await checkConsistency(store)).toEqual([]);
        expect(after).toBe(inCrashed);
        if (code === "unavailable" && !loseAnswers) expect(after).toBe(before);
        if (code === "ok") expect(after).not.toBe(before);
        outcomes.add(after === before ? "undone" : "finished");
        await dispose();
        if (left > 0) break;
        expect(commits).toBeLessThan(50);
      }
      expect(outcomes).toEqual(new Set(loseAnswers ? ["finished"] : ["undone", "finished"]));
    },
  );

  it("by a store that fails for a while leaves nothing behind", async () => {
    const { store, dispose } = await backend.open();
    const failing = failingStore(store);
    const directory = await openDirectoryOn(failing);
    await directory.batches.apply(many(60, "old"), PUT);
    const before = await view(directory);
    const changes: DirectoryChange[] = [];
    directory.onChange((change) => changes.push(change));
    failing.commitsLeft = 0;
    expect(await codeOf(directory.batches.apply(many(60, "new"), PUT))).toBe("unavailable");
    expect(await view(directory)).toBe(before);
    expect(await codeOf(directory.users.update("u1", { friendly_name: "x" }))).toBe("unavailable");
    failing.commitsLeft = Number.POSITIVE_INFINITY;
    await directory.users.update("u1", { friendly_name: "by hand" });
    expect(changes).toEqual([{ users: [expect.any(String)] }]);
    await directory.close();
    expect(await checkConsistency(store)).toEqual([]);
    const again = await openDirectoryOn(store);
    expect((await again.users.get("u1")).friendly_name).toBe("by hand");
    expect((await again.users.get("u2")).friendly_name).toBe("old");
    await again.close();
    await dispose();
  });
});
