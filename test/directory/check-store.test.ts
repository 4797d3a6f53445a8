import { describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { policy } from "./backends.ts";
import { openTestDirectory } from "./open-test-directory.ts";

async function fill({
  users,
  groups,
  policies,
  credentials,
  externalPrincipals,
}: OpenedDirectory): Promise<void> {
  await users.create({ username: "alice", external_id: "sso|a", email: "a@x.org" });
  await groups.create({ name: "G" });
  await policies.create(policy("P"));
  await groups.addMember("G", "alice");
  await users.attachPolicy("alice", "P");
  await groups.attachPolicy("G", "P");
  await credentials.create("alice", { access_key_id: "K", secret_access_key: "s" });
  await externalPrincipals.create("alice", "role");
}

describe("the check of a store", () => {
  it("finds nothing in a store that the directory wrote", async () => {
    const { store, directory, close } = await openTestDirectory();
    await fill(directory);
    await directory.tokenClaims.claim("t", 9_999_999_999);
    expect(await checkConsistency(store)).toEqual([]);
    await close();
  });

  it.each([
    "external_id",
    "email",
    "user_group",
    "group_user",
    "user_policy",
    "group_policy",
    "policy_holder",
    "key",
    "user_key",
    "principal",
    "user_principal",
    "user",
    "group",
    "policy",
  ])("finds that a record of %s was lost", async (partition) => {
    const { store, directory, close } = await openTestDirectory();
    await fill(directory);
    const snapshot = await store.snapshot();
    const [lost] = await snapshot.scan(partition, { limit: 1 });
    snapshot.release();
    await store.commit({ delete: [{ partition, key: lost!.key }] });
    expect(await checkConsistency(store)).not.toEqual([]);
    await close();
  });

  it("finds records that cannot be read and ids used twice", async () => {
    const { store, directory, close } = await openTestDirectory();
    await fill(directory);
    const snapshot = await store.snapshot();
    const alice = (await snapshot.get("user", "alice"))!.value;
    snapshot.release();
    const { external_id: _, email: __, ...copy } = JSON.parse(alice);
    await store.commit({
      put: [
        { partition: "user", key: "copy", value: JSON.stringify(copy) },
        { partition: "group", key: "broken", value: "{" },
      ],
    });
    const kinds = (await checkConsistency(store)).map(({ kind, key }) => `${kind} ${key}`);
    expect(kinds).toEqual(expect.arrayContaining(["duplicate copy", "unreadable broken"]));
    await close();
  });
});
