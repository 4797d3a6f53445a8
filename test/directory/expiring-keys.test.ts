import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { MOST_TEMPORARY_KEYS } from "../../src/directory/write/temporary-keys.ts";
import { BACKENDS, codeOf } from "./backends.ts";
import { openDirectoryOn, openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const BEGIN = 1_700_000_000;
const PAGE = { amount: 100 };
const KEY = { access_key_id: "K", secret_access_key: "s" };

describe.each(BACKENDS)("access keys that expire on $name", (backend) => {
  let bed: TestDirectory;
  let now = BEGIN;
  beforeEach(async () => {
    now = BEGIN;
    bed = await openTestDirectory({ backend, now: () => now, nowMs: () => now * 1_000 });
    for (const username of ["alice", "bob"]) await bed.directory.users.create({ username });
  });
  afterEach(() => bed.close());

  const readers = () => {
    const { credentials, sessions, survey } = bed.directory;
    return {
      getWithSecret: () => credentials.getWithSecret("K"),
      get: () => credentials.get("alice", "K"),
      session: () => sessions.key("K"),
      list: async () => {
        if ((await credentials.list("alice", PAGE)).results.length === 0) throw await gone();
      },
      survey: async () => {
        const pages = await survey(
          async (state) => Array.fromAsync(state.keys()),
          () => undefined,
        );
        if (pages.flat().length === 0) throw await gone();
      },
      holdsKey: async () => {
        if (!(await sessions.get("alice", { accessKeyId: "K" })).holdsKey) throw await gone();
      },
    };
  };
  const gone = () => bed.directory.credentials.get("alice", "none").catch((error: unknown) => error);

  it("has them for every reader until the second in which they expire, and for none from it on", async () => {
    const { credentials } = bed.directory;
    const made = await credentials.create("alice", { ...KEY, expires_in: 100 });
    expect(made.expires_at).toBe(BEGIN + 100);
    for (const [at, expected] of [
      [BEGIN + 99, "ok"],
      [BEGIN + 100, "not_found"],
    ] as const) {
      now = at;
      for (const [name, read] of Object.entries(readers()))
        expect(await codeOf(read()), `${name} at ${at - BEGIN}`).toBe(expected);
    }
    expect(await codeOf(credentials.delete("alice", "K"))).toBe("not_found");
    // The id is free again, also for somebody else, and what expired does not come back with it.
    expect(await codeOf(credentials.create("bob", KEY))).toBe("ok");
    expect(await codeOf(credentials.get("alice", "K"))).toBe("not_found");
    expect((await credentials.getWithSecret("K")).expires_at).toBeUndefined();
  });

  it("refuses terms that are none", async () => {
    for (const expires_in of [0, -1, 1.5, Number.NaN, 315_360_001])
      expect(await codeOf(bed.directory.credentials.create("alice", { expires_in }))).toBe("invalid_request");
  });

  it("ends no session when they expire", async () => {
    const { credentials, sessions } = bed.directory;
    await credentials.create("alice", { ...KEY, expires_in: 100 });
    const before = await sessions.get("alice");
    now = BEGIN + 5_000;
    // Whatever drops it.
    await credentials.create("alice", { expires_in: 10 });
    await bed.directory.close();
    const { since, validAfter } = await sessions.get("alice");
    expect({ since, validAfter }).toEqual({ since: before.since, validAfter: before.validAfter });
  });

  it("drops what has expired, and no key that has the id by now", async () => {
    const { credentials } = bed.directory;
    await credentials.create("alice", { ...KEY, expires_in: 100 });
    await credentials.create("alice", { ...KEY, access_key_id: "L", expires_in: 100 });
    now = BEGIN + 200;
    await credentials.create("bob", KEY);
    now = BEGIN + 10_000;
    await bed.directory.close();
    const again = await openDirectoryOn(bed.store, { now: () => now });
    await again.close();
    const snapshot = await bed.store.snapshot();
    const keysOf = async (partition: string) =>
      (await snapshot.scan(partition, { limit: 10 })).map(({ key }) => key.slice(key.indexOf("/") + 1));
    expect(await keysOf("key")).toEqual(["K"]);
    expect(await keysOf("key_expiry")).toEqual([]);
    snapshot.release();
    expect((await again.credentials.get("bob", "K")).username).toBe("bob");
  });

  it("gives temporary ones that no list has, and not too many of them", async () => {
    const { credentials, batches } = bed.directory;
    const made = await credentials.createTemporary("alice", 900);
    expect(made).toMatchObject({ username: "alice", expires_at: BEGIN + 900 });
    expect(made.access_key_id).toMatch(/^ASIAJ[A-Z2-7]{14}Q$/);
    expect((await credentials.getWithSecret(made.access_key_id)).secret_access_key).toBe(
      made.secret_access_key,
    );
    expect((await credentials.list("alice", PAGE)).results).toEqual([]);
    const state = await batches.state({ secrets: true });
    expect(state.users.get("alice")?.credentials.size).toBe(0);

    for (let count = 1; count < MOST_TEMPORARY_KEYS; count++) await credentials.createTemporary("alice", 900);
    expect(await codeOf(credentials.createTemporary("alice", 900))).toBe("conflict");
    expect(await codeOf(credentials.createTemporary("bob", 900))).toBe("ok");
    now = BEGIN + 900;
    expect(await codeOf(credentials.createTemporary("alice", 900))).toBe("ok");
    expect(await codeOf(credentials.getWithSecret(made.access_key_id))).toBe("not_found");
  });

  it("gives none to who is inactive or not there", async () => {
    const { credentials, users } = bed.directory;
    await users.update("bob", { inactive: true });
    expect(await codeOf(credentials.createTemporary("bob", 900))).toBe("not_found");
    expect(await codeOf(credentials.createTemporary("nobody", 900))).toBe("not_found");
  });

  it("keeps the records in agreement", async () => {
    const { credentials, users } = bed.directory;
    await credentials.create("alice", { ...KEY, expires_in: 100 });
    await credentials.create("alice", { ...KEY, access_key_id: "L", expires_in: 100 });
    await credentials.createTemporary("bob", 900);
    await credentials.delete("alice", "K");
    await users.delete("bob");
    await bed.directory.close();
    expect(await checkConsistency(bed.store)).toEqual([]);
  });
});
