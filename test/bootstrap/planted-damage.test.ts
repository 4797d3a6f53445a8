import { expect, it } from "vitest";
import { checkWholeStore, type StoreFinding } from "../../src/directory/upkeep/check-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { policy } from "../directory/backends.ts";
import { openDirectoryOn, SECRET_KEY } from "../directory/open-test-directory.ts";

/** A sound store with something of everything. */
async function soundStore(): Promise<Store> {
  const store = openMemoryStore();
  const directory = await openDirectoryOn(store);
  const { users, groups, policies, credentials, externalPrincipals } = directory;
  for (const username of ["alice", "bob"]) {
    await users.create({ username, external_id: `sso|${username}`, email: `${username}@example.org` });
    await credentials.create(username, { access_key_id: `K-${username}`, secret_access_key: "secret" });
  }
  await externalPrincipals.create("alice", "role/a");
  await groups.create({ name: "G" });
  await policies.create(policy("P"));
  await groups.addMember("G", "alice");
  await groups.attachPolicy("G", "P");
  await users.attachPolicy("bob", "P");
  await directory.close();
  return store;
}

async function edit(
  store: Store,
  partition: string,
  key: string | undefined,
  change: (record: Record<string, unknown>) => Record<string, unknown> | undefined,
): Promise<void> {
  const found = await withSnapshot(store, async (snapshot) =>
    key === undefined
      ? (await snapshot.scan(partition, { limit: 1 }))[0]
      : { key, value: (await snapshot.get(partition, key))?.value ?? "{}" },
  );
  const at = { partition, key: found?.key ?? "" };
  const next = change(JSON.parse(found?.value ?? "{}"));
  await store.commit(
    next === undefined ? { delete: [at] } : { put: [{ ...at, value: JSON.stringify(next) }] },
  );
}

const check = (store: Store, secretKey = SECRET_KEY): Promise<readonly StoreFinding[]> =>
  checkWholeStore(store, { secretKey, previousSecretKey: undefined });

const read = async (store: Store, partition: string, key: string): Promise<Record<string, unknown>> =>
  JSON.parse((await withSnapshot(store, (snapshot) => snapshot.get(partition, key)))?.value ?? "{}");

const DAMAGE: readonly [string, StoreFinding["kind"], string, (store: Store) => Promise<void>][] = [
  [
    "an orphan: an attachment whose policy is gone",
    "orphan",
    "user_policy",
    (store) => edit(store, "policy", "P", () => undefined),
  ],
  [
    "an orphan: a membership of nobody",
    "orphan",
    "group_user",
    async (store) => {
      const { id } = await read(store, "group", "G");
      await edit(store, "group_user", `${id}/ghost`, () => ({ id: "nobody" }));
    },
  ],
  [
    "a duplicate: two users with one internal id",
    "duplicate",
    "user",
    async (store) => {
      const { id } = await read(store, "user", "alice");
      await edit(store, "user", "bob", (record) => ({ ...record, id }));
    },
  ],
  [
    "a duplicate: an external id that two users have",
    "mismatch",
    "user",
    (store) => edit(store, "user", "bob", (record) => ({ ...record, external_id: "sso|alice" })),
  ],
  [
    "a dangling reference: a key listed under a user without its record",
    "mismatch",
    "user_key",
    (store) => edit(store, "key", "K-alice", () => undefined),
  ],
  [
    "a dangling reference: half of a membership",
    "mismatch",
    "group_user",
    (store) => edit(store, "user_group", undefined, () => undefined),
  ],
  [
    "a wrong index: an e-mail that the user does not have",
    "mismatch",
    "email",
    (store) => edit(store, "user", "alice", ({ email: _, ...record }) => record),
  ],
  [
    "a wrong index: an attachment that the policy does not know of",
    "mismatch",
    "group_policy",
    (store) => edit(store, "policy_holder", undefined, () => undefined),
  ],
  [
    "a secret that was damaged",
    "secret",
    "key",
    (store) =>
      edit(store, "key", "K-bob", (record) => ({
        ...record,
        secret: `${record["secret"]}x`.replace("v1", "v0"),
      })),
  ],
  [
    "a secret that was copied from another key",
    "secret",
    "key",
    async (store) => {
      const { secret } = await read(store, "key", "K-alice");
      await edit(store, "key", "K-bob", (record) => ({ ...record, secret }));
    },
  ],
  [
    "a record that is no JSON",
    "unreadable",
    "group",
    async (store) => {
      await store.commit({ put: [{ partition: "group", key: "G", value: "{" }] });
    },
  ],
  [
    "a record with fields of another type",
    "unreadable",
    "user",
    (store) => edit(store, "user", "alice", (record) => ({ ...record, email: 7 })),
  ],
];

it("finds nothing in a sound store", async () => {
  expect(await check(await soundStore())).toEqual([]);
});

it.each(DAMAGE)("finds %s", async (_what, kind, partition, plant) => {
  const store = await soundStore();
  await plant(store);
  const state = () => withSnapshot(store, (snapshot) => snapshot.scan(partition, { limit: 100 }));
  const before = await state();
  expect(await check(store)).toContainEqual(expect.objectContaining({ kind, partition }));
  expect(await state()).toEqual(before);
});

it("refuses a secret key that is not the store's instead of calling every secret damaged", async () => {
  await expect(check(await soundStore(), "another key")).rejects.toThrow("auth.encrypt.secret_key");
});
