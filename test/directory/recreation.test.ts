import { describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import type { Store } from "../../src/store/port.ts";
import { BACKENDS, codeOf, failingStore, policy, unsweeping } from "./backends.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

const PAGE = { amount: 100 };
const ALL = { limit: 1_000 };

/** alice with everything that can refer to her. */
async function fill({ users, groups, policies, credentials, externalPrincipals }: OpenedDirectory) {
  await users.create({ username: "alice", email: "a@x.org", external_id: "sso|a" });
  await users.create({ username: "bob" });
  await groups.create({ name: "G" });
  await policies.create(policy("P"));
  await policies.create(policy("Q"));
  await groups.addMember("G", "alice");
  await groups.addMember("G", "bob");
  await groups.attachPolicy("G", "Q");
  await users.attachPolicy("alice", "P");
  await users.attachPolicy("bob", "P");
  await credentials.create("alice", { access_key_id: "KEY", secret_access_key: "old secret" });
  await externalPrincipals.create("alice", "role/x");
}

/** A write of a process that ends before it sweeps. */
async function crashAfter(
  store: Store,
  change: (directory: OpenedDirectory) => Promise<void>,
): Promise<void> {
  const directory = await openDirectoryOn(unsweeping(store));
  await change(directory);
  await directory.close();
}

async function recordsIn(store: Store): Promise<number> {
  const snapshot = await store.snapshot();
  let count = 0;
  for (const partition of ["user_group", "group_user", "user_policy", "group_policy", "policy_holder"]) {
    count += (await snapshot.scan(partition, ALL)).length;
  }
  for (const partition of [
    "key",
    "user_key",
    "principal",
    "user_principal",
    "sweep",
    "external_id",
    "email",
  ]) {
    count += (await snapshot.scan(partition, ALL)).length;
  }
  snapshot.release();
  return count;
}

describe.each(BACKENDS)("deleting and creating again on $name", (backend) => {
  it("brings back nothing of a user, before the sweep and after it", async () => {
    const { store, dispose } = await backend.open();
    const first = await openDirectoryOn(store);
    await fill(first);
    await first.close();
    await crashAfter(store, (directory) => directory.users.delete("alice"));

    const unswept = await openDirectoryOn(unsweeping(store));
    expect((await unswept.groups.members("G", PAGE)).results.map(({ username }) => username)).toEqual([
      "bob",
    ]);
    expect(await codeOf(unswept.credentials.getWithSecret("KEY"))).toBe("not_found");
    expect(await codeOf(unswept.externalPrincipals.get("role/x"))).toBe("not_found");
    await unswept.users.create({ username: "alice" });
    const alice = (await unswept.principal("alice"))!;
    expect(alice.groups).toEqual([]);
    expect(alice.policies).toEqual([]);
    expect((await unswept.groups.members("G", PAGE)).results.map(({ username }) => username)).toEqual([
      "bob",
    ]);
    expect((await unswept.users.groups("alice", PAGE)).results).toEqual([]);
    expect((await unswept.credentials.list("alice", PAGE)).results).toEqual([]);
    expect(await codeOf(unswept.credentials.getWithSecret("KEY"))).toBe("not_found");
    expect((await unswept.users.list(PAGE, { external_id: "sso|a" })).results).toEqual([]);
    await unswept.close();

    const swept = await openDirectoryOn(store);
    await swept.close();
    expect(await checkConsistency(store)).toEqual([]);
    // bob's membership (2), G's and bob's attachments (2 each).
    expect(await recordsIn(store)).toBe(6);
    const again = await openDirectoryOn(store);
    expect((await again.principal("alice"))?.policies).toEqual([]);
    await again.close();
    await dispose();
  });

  it("frees access keys, principals and external ids for another user before the sweep ran, and the sweep leaves them", async () => {
    const { store, dispose } = await backend.open();
    const first = await openDirectoryOn(store);
    await fill(first);
    await first.close();
    await crashAfter(store, (directory) => directory.users.delete("alice"));

    const unswept = await openDirectoryOn(unsweeping(store));
    await unswept.credentials.create("bob", { access_key_id: "KEY", secret_access_key: "new secret" });
    await unswept.externalPrincipals.create("bob", "role/x");
    await unswept.users.create({ username: "carol", external_id: "sso|a", email: "a@x.org" });
    await unswept.close();
    const swept = await openDirectoryOn(store);
    await swept.close();
    expect(await checkConsistency(store)).toEqual([]);
    const again = await openDirectoryOn(store);
    expect(await again.credentials.getWithSecret("KEY")).toMatchObject({
      username: "bob",
      secret_access_key: "new secret",
    });
    expect(await again.externalPrincipals.get("role/x")).toEqual({ id: "role/x", username: "bob" });
    expect((await again.users.list(PAGE, { external_id: "sso|a" })).results).toMatchObject([
      { username: "carol" },
    ]);
    await again.close();
    await dispose();
  });

  it("brings back nothing of a group or a policy", async () => {
    const { store, dispose } = await backend.open();
    const first = await openDirectoryOn(store);
    await fill(first);
    await first.close();
    await crashAfter(store, (directory) => directory.groups.delete("G"));
    await crashAfter(store, (directory) => directory.policies.delete("P"));
    const unswept = await openDirectoryOn(unsweeping(store));
    await unswept.groups.create({ name: "G" });
    await unswept.policies.create(policy("P"));
    expect((await unswept.groups.members("G", PAGE)).results).toEqual([]);
    expect((await unswept.groups.policies("G", PAGE)).results).toEqual([]);
    expect((await unswept.users.policies("alice", PAGE)).results).toEqual([]);
    expect((await unswept.principal("alice"))?.policies).toEqual([]);
    await unswept.close();
    const again = await openDirectoryOn(store);
    await again.users.attachPolicy("bob", "P");
    await again.groups.addMember("G", "bob");
    await again.close();
    const last = await openDirectoryOn(store);
    expect((await last.principal("bob"))?.policies.map(({ name }) => name)).toEqual(["P"]);
    expect((await last.groups.members("G", PAGE)).results).toMatchObject([{ username: "bob" }]);
    await last.close();
    expect(await checkConsistency(store)).toEqual([]);
    await dispose();
  });

  it("sweeps more than one commit can hold, and goes on after any interruption", async () => {
    const { store, dispose } = await backend.open();
    const first = await openDirectoryOn(store);
    await first.groups.create({ name: "G" });
    await first.batches.apply(
      Array.from({ length: 150 }, (_, index) => index).flatMap((index) => [
        { op: "put_user", user: { username: `u${index}` } } as const,
        { op: "add_member", group: "G", username: `u${index}` } as const,
      ]),
      { managed: false },
    );
    await first.groups.delete("G");
    await first.close();
    await first.close();
    expect(await checkConsistency(store)).toEqual([]);
    expect(await recordsIn(store)).toBe(0);

    const second = await openDirectoryOn(store);
    await second.groups.create({ name: "G" });
    for (let index = 0; index < 150; index++) await second.groups.addMember("G", `u${index}`);
    await second.close();
    await crashAfter(store, (directory) => directory.groups.delete("G"));
    let left = await recordsIn(store);
    expect(left).toBe(301);
    for (let round = 0; round < 10 && left > 0; round++) {
      const failing = failingStore(store, 1);
      await (await openDirectoryOn(failing)).close();
      expect(await checkConsistency(store)).toEqual([]);
      const now = await recordsIn(store);
      expect(now).toBeLessThan(left);
      left = now;
    }
    expect(left).toBe(0);
    await dispose();
  });
});
