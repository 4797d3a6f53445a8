/** Names in any letter case, as identity providers compare them (spec/scim §3). */

import { describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { foldName } from "../../src/directory/records/layout.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { BACKENDS, codeOf } from "./backends.ts";
import { openDirectoryOn, openTestDirectory } from "./open-test-directory.ts";

const SPELLINGS = ["leaver@x.io", "Leaver@x.io", "LEAVER@X.IO", "lEAVER@x.io"] as const;

const provisioningOf = (directory: OpenedDirectory) => directory.provisioning(() => false);

/** Keys of the index of letter cases. */
async function indexed(store: Store): Promise<readonly string[]> {
  const found = await withSnapshot(store, (snapshot) => snapshot.scan("folded_name", { limit: 1_000 }));
  return found.map(({ key }) => key);
}

/** Makes a store one that an earlier version has written: without the index. */
async function forgetIndex(store: Store): Promise<void> {
  const keys = await indexed(store);
  await store.commit({ delete: keys.map((key) => ({ partition: "folded_name", key })) });
}

describe.each(BACKENDS)("names that differ in letter case only on $name", (backend) => {
  it("are made once, whoever asks first", async () => {
    const { store, directory, close } = await openTestDirectory({ backend });
    const provisioning = provisioningOf(directory);
    for (const [round, first] of SPELLINGS.entries()) {
      const at = (name: string) => `${round}-${name}`;
      const rest = SPELLINGS.filter((spelling) => spelling !== first);
      const codes = await Promise.all(
        [first, ...rest].map((name) => codeOf(provisioning.createUser({ username: at(name) }))),
      );
      expect(codes.toSorted()).toEqual(["already_exists", "already_exists", "already_exists", "ok"]);
      const ids = await Promise.all(
        SPELLINGS.map(async (name) => (await provisioning.findUser({ username: at(name) }))?.id),
      );
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toBeDefined();
    }
    await directory.close();
    expect(await checkConsistency(store)).toEqual([]);
    await close();
  });

  it("that both exist stay usable", async () => {
    const { directory, close } = await openTestDirectory({ backend });
    const provisioning = provisioningOf(directory);
    await directory.users.create({ username: "Eva" });
    await directory.users.create({ username: "eva" });
    await directory.users.create({ username: "EVA" });
    for (const username of ["eva", "Eva", "EVA"]) {
      const found = await provisioning.findUser({ username });
      expect(found?.username).toBe(username);
      const left = await provisioning.changeUser(found!.id, (user) => ({ ...user, inactive: true }));
      expect(left).toMatchObject({ username, inactive: true });
    }
    const capital = await provisioning.findUser({ username: "Eva" });
    await provisioning.deleteUser(capital!.id);
    expect(await codeOf(provisioning.createUser({ username: "Eva" }))).toBe("already_exists");
    await close();
  });

  it("are found in a store that an earlier version has written", async () => {
    const { store, directory, close } = await openTestDirectory({ backend });
    for (let index = 0; index < 1_200; index++) await directory.users.create({ username: `User-${index}` });
    await directory.users.create({ username: "plain" });
    const before = await indexed(store);
    expect(before).toHaveLength(1_000);
    await forgetIndex(store);
    await forgetIndex(store);
    expect(await indexed(store)).toEqual([]);
    expect(await checkConsistency(store)).toEqual([]);
    const provisioning = provisioningOf(directory);
    expect((await provisioning.findUser({ username: "uSER-1199" }))?.username).toBe("User-1199");
    expect(await codeOf(provisioning.createUser({ username: "uSER-7" }))).toBe("already_exists");
    expect(await indexed(store)).toEqual(before);
    await close();
  });
});

it("two nodes make one user of names that differ in letter case only", async () => {
  const engine = new MemoryEngine();
  const stores = [await openNode(sharedBy(engine)), await openNode(sharedBy(engine))];
  const nodes = [];
  for (const store of stores) nodes.push(provisioningOf(await openDirectoryOn(store)));
  for (let round = 0; round < 40; round++) {
    const codes = await Promise.all(
      nodes.map((node, index) =>
        codeOf(node.createUser({ username: `${SPELLINGS[(round + index) % 4]}${round}` })),
      ),
    );
    expect(codes.toSorted()).toEqual(["already_exists", "ok"]);
  }
  await stores[0]!.catchUp?.();
  const users = await withSnapshot(stores[0]!, (snapshot) => snapshot.scan("user", { limit: 1_000 }));
  expect(new Set(users.map(({ key }) => foldName(key))).size).toBe(users.length);
  expect(users).toHaveLength(40);
  for (const store of stores) await store.close();
});

it("names are found while nodes of an earlier version write without the index", async () => {
  const { store, directory, close } = await openTestDirectory();
  await directory.users.create({ username: "Leaver" });
  await forgetIndex(store);
  const shared = Object.create(store, {
    namesEntries: { value: () => false },
    commit: { value: (commit: never) => store.commit(commit) },
    snapshot: { value: () => store.snapshot() },
    subscribe: { value: (listener: never) => store.subscribe(listener) },
  }) as Store;
  const other = await openDirectoryOn(shared);
  const provisioning = provisioningOf(other);
  expect((await provisioning.findUser({ username: "leaver" }))?.username).toBe("Leaver");
  expect(await codeOf(provisioning.createUser({ username: "LEAVER" }))).toBe("already_exists");
  await directory.users.create({ username: "Joiner" });
  await forgetIndex(store);
  expect(await codeOf(provisioning.createUser({ username: "joiner" }))).toBe("already_exists");
  await other.close();
  await close();
});
