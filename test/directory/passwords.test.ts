/** Hashes of passwords in the store: who has one, what a change ends, and what brings none back. */

import { describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { revokedBy } from "../../src/directory/revocations/revoked-records.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { rotateSecretKey } from "../../src/directory/upkeep/rotate-key.ts";
import { BACKENDS, codeOf } from "./backends.ts";
import { openDirectoryOn, openTestDirectory, SECRET_KEY } from "./open-test-directory.ts";

async function idOf({ sessions }: OpenedDirectory, username: string): Promise<string> {
  return (await sessions.get(username)).userId;
}

async function give(directory: OpenedDirectory, username: string, hash: string, replaced?: string) {
  await directory.passwords.set({ username, userId: await idOf(directory, username) }, hash, replaced);
}

describe.each(BACKENDS)("passwords on $name", (backend) => {
  it("are sealed in the store, and belong to one user", async () => {
    const { store, directory, close } = await openTestDirectory({ backend });
    await directory.users.create({ username: "alice" });
    await directory.users.create({ username: "bob" });
    await give(directory, "alice", "the hash");
    expect(await directory.passwords.find("alice")).toMatchObject({ username: "alice", hash: "the hash" });
    expect(await directory.passwords.find("bob")).toBeUndefined();
    expect(await directory.passwords.find("nobody")).toBeUndefined();
    const snapshot = await store.snapshot();
    const [record] = await snapshot.scan("password", { limit: 10 });
    snapshot.release();
    expect(record?.value).not.toContain("the hash");
    // A record that is copied to another user does not open.
    const value = record?.value ?? "";
    await store.commit({ put: [{ partition: "password", key: await idOf(directory, "bob"), value }] });
    expect(await codeOf(directory.passwords.find("bob"))).toBe("internal");
    await close();
  });

  it("do not come back with a user of the same name, and leave nothing", async () => {
    const { store, directory, close } = await openTestDirectory({ backend });
    await directory.users.create({ username: "alice" });
    await give(directory, "alice", "the hash");
    const before = await idOf(directory, "alice");
    await directory.users.delete("alice");
    await directory.users.create({ username: "alice" });
    expect(await directory.passwords.find("alice")).toBeUndefined();
    expect(await codeOf(directory.passwords.set({ username: "alice", userId: before }, "x"))).toBe(
      "not_found",
    );
    const snapshot = await store.snapshot();
    expect(await snapshot.scan("password", { limit: 10 })).toEqual([]);
    snapshot.release();
    expect(await checkConsistency(store)).toEqual([]);
    await close();
  });

  it("end the sessions of their user when they change", async () => {
    const { directory, close } = await openTestDirectory({ backend });
    await directory.users.create({ username: "alice" });
    const before = await directory.sessions.get("alice");
    await give(directory, "alice", "the hash");
    expect((await directory.sessions.get("alice")).since).not.toBe(before.since);
    await close();
  });

  it("change only where the one that is replaced is still there", async () => {
    const { directory, close } = await openTestDirectory({ backend });
    await directory.users.create({ username: "alice" });
    expect(await codeOf(give(directory, "alice", "next", "the hash"))).toBe("conflict");
    await give(directory, "alice", "the hash");
    await give(directory, "alice", "next", "the hash");
    expect(await codeOf(give(directory, "alice", "third", "the hash"))).toBe("conflict");
    expect((await directory.passwords.find("alice"))?.hash).toBe("next");
    await close();
  });

  it("are found and set for active users alone", async () => {
    const { directory, close } = await openTestDirectory({ backend });
    await directory.users.create({ username: "alice" });
    await give(directory, "alice", "the hash");
    await directory.users.update("alice", { inactive: true });
    expect(await directory.passwords.find("alice")).toBeUndefined();
    const userId = (await directory.principal("alice"))?.id ?? "";
    expect(await codeOf(directory.passwords.set({ username: "alice", userId }, "next"))).toBe("not_found");
    await directory.users.update("alice", { inactive: false });
    expect((await directory.passwords.find("alice"))?.hash).toBe("the hash");
    await close();
  });

  it("are sealed with the new key after a rotation", async () => {
    const { store, dispose } = await backend.open();
    const first = await openDirectoryOn(store);
    await first.users.create({ username: "alice" });
    await give(first, "alice", "the hash");
    await first.close();
    const newKey = "another secret key of the tests, long enough";
    const report = await rotateSecretKey({ store, oldKey: SECRET_KEY, newKey, now: () => 1 });
    expect(report).toMatchObject({ outcome: "rotated", sealed: 1, verified: 1 });
    const second = await openDirectoryOn(store, { secretKey: newKey });
    expect((await second.passwords.find("alice"))?.hash).toBe("the hash");
    await second.close();
    await dispose();
  });
});

describe("an earlier state that is put back", () => {
  it("brings back no earlier password: its user has none then", async () => {
    const { store, directory, close } = await openTestDirectory();
    await directory.users.create({ username: "alice" });
    await give(directory, "alice", "the old one");
    const userId = await idOf(directory, "alice");
    const old = await withRecord();
    await give(directory, "alice", "the new one");
    const now = await withRecord();
    const back = { put: [{ partition: "password", key: userId, value: old }] };
    const revoked = await revokedBy(
      store,
      { put: [{ partition: "password", key: userId, value: now }] },
      () => true,
    );
    await store.commit(back);
    expect((await directory.passwords.find("alice"))?.hash).toBe("the old one");
    const held = await directory.holdRevocations(revoked, false);
    expect(held.passwords).toBe(1);
    expect(await directory.passwords.find("alice")).toBeUndefined();
    await close();

    async function withRecord(): Promise<string> {
      const snapshot = await store.snapshot();
      const record = await snapshot.get("password", userId);
      snapshot.release();
      return record?.value ?? "";
    }
  });
});
