import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import type { Session } from "../../src/directory/directory.ts";
import type { UserRecord } from "../../src/directory/records/layout.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { BACKENDS, codeOf } from "./backends.ts";
import { endSessionsOf } from "./end-sessions.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const START = 1_700_000_000_250;

describe.each(BACKENDS)("sessions on $name", (backend) => {
  let bed: TestDirectory;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = START;
    bed = await openTestDirectory({ backend, now: () => Math.floor(nowMs / 1_000), nowMs: () => nowMs });
    await bed.directory.users.create({ username: "alice" });
    await bed.directory.credentials.create("alice", { access_key_id: "K", secret_access_key: "s" });
  });
  afterEach(() => bed.close());

  const apply = (operations: readonly BatchOperation[]): Promise<unknown> =>
    bed.directory.batches.apply(operations, { managed: true });

  const markOf = async (username: string): Promise<number> =>
    (await bed.directory.sessions.get(username)).validAfter;

  async function stored(username: string): Promise<UserRecord> {
    const found = await withSnapshot(bed.store, (snapshot) => snapshot.get("user", username));
    return JSON.parse(found!.value) as UserRecord;
  }

  it("of a new user begin with the user, whatever creation date it is given", async () => {
    await bed.directory.users.create({ username: "old", creation_date: 5 });
    expect(await bed.directory.sessions.get("old")).toMatchObject({ creation_date: 5, validAfter: START });
    await apply([{ op: "put_user", user: { username: "loaded", creation_date: 5 } }]);
    expect(await markOf("loaded")).toBe(START);
  });

  it("end when a key of the user is deleted, and not when one is made", async () => {
    nowMs += 5;
    await bed.directory.credentials.create("alice", { access_key_id: "K2", secret_access_key: "s" });
    expect(await markOf("alice")).toBe(START);
    await bed.directory.credentials.delete("alice", "K2");
    expect(await markOf("alice")).toBe(START + 5);
    nowMs += 5;
    await apply([{ op: "delete_credential", username: "alice", access_key_id: "K" }]);
    expect(await markOf("alice")).toBe(START + 10);
  });

  it("end when a batch gives a key another secret, and not when it repeats the one it has", async () => {
    nowMs += 5;
    const put = (secret_access_key: string) =>
      apply([{ op: "put_credential", username: "alice", access_key_id: "K", secret_access_key }]);
    await put("s");
    expect(await markOf("alice")).toBe(START);
    await put("another");
    expect(await markOf("alice")).toBe(START + 5);
  });

  it("end when a batch makes the user inactive, so that none of them holds once the user is active again", async () => {
    const put = (inactive: boolean) => apply([{ op: "put_user", user: { username: "alice", inactive } }]);
    const { since } = await bed.directory.sessions.get("alice");
    nowMs += 5;
    await put(true);
    expect(await codeOf(bed.directory.sessions.get("alice"))).toBe("not_found");
    nowMs += 5;
    await put(false);
    expect(await markOf("alice")).toBe(START + 5);
    const again = await bed.directory.sessions.get("alice");
    expect(again.since).not.toBe(since);
    await put(false);
    expect((await bed.directory.sessions.get("alice")).since).toBe(again.since);
  });

  it("end each time later than before, also within one millisecond or after the clock was set back", async () => {
    await endSessionsOf(bed.directory, "alice");
    expect(await markOf("alice")).toBe(START + 1);
    nowMs -= 10_000;
    await endSessionsOf(bed.directory, "alice");
    expect(await markOf("alice")).toBe(START + 2);
  });

  it("keep their end through updates and repeated batches", async () => {
    nowMs += 5;
    await endSessionsOf(bed.directory, "alice");
    await bed.directory.users.update("alice", { friendly_name: "Alice" });
    await apply([{ op: "put_user", user: { username: "alice", friendly_name: "Other" } }]);
    expect(await markOf("alice")).toBe(START + 5);
  });

  it("begin anew with each commit that ends them, whatever the clock says", async () => {
    const { sessions, users, credentials } = bed.directory;
    const first = await sessions.get("alice");
    expect([first.since, first.validFrom]).toEqual(["", 0]);
    await users.update("alice", { friendly_name: "Alice" });
    nowMs -= 3_600_000;
    await endSessionsOf(bed.directory, "alice");
    const second = await sessions.get("alice");
    expect(second.since).not.toBe("");
    expect(second.validFrom).toBeUndefined();
    await users.update("alice", { friendly_name: "A." });
    expect((await sessions.get("alice")).since).toBe(second.since);
    await credentials.delete("alice", "K");
    const third = await sessions.get("alice");
    expect(third.since).not.toBe(second.since);
  });

  it("of a record that version 0.2 wrote begin at its revision, too", async () => {
    const { userId } = await bed.directory.sessions.get("alice");
    const revision = await bed.store.commit({
      put: [{ partition: "session", key: userId, value: JSON.stringify({ since: "then" }) }],
    });
    expect(await bed.directory.sessions.get("alice")).toMatchObject({ since: "then", validFrom: revision });
  });

  it("tell listeners of their end", async () => {
    const { userId } = await bed.directory.sessions.get("alice");
    const heard: unknown[] = [];
    bed.directory.onChange((change) => heard.push(change));
    await bed.directory.credentials.delete("alice", "K");
    expect(heard).toEqual([{ users: [userId] }]);
  });

  it("of a user made by an earlier version begin at any time", async () => {
    const { sessions_valid_after: _, ...record } = await stored("alice");
    await bed.store.commit({
      put: [{ partition: "user", key: "alice", value: JSON.stringify(record) }],
    });
    expect(await markOf("alice")).toBe(0);
    await apply([{ op: "put_user", user: { username: "alice" } }]);
    expect(await markOf("alice")).toBe(0);
    nowMs += 1;
    await bed.directory.credentials.delete("alice", "K");
    expect(await markOf("alice")).toBe(START + 1);
  });

  it("are in nothing that shows a user", async () => {
    const { users, groups, batches } = bed.directory;
    await groups.create({ name: "g" });
    await groups.addMember("g", "alice");
    expect((await stored("alice")).sessions_valid_after).toBe(START);
    const state = await batches.state({ secrets: true });
    const shown = [
      await users.create({ username: "new" }),
      await users.get("alice"),
      await users.update("alice", { email: "a@example.com" }),
      ...(await users.list({ amount: 10 })).results,
      ...(await users.list({ amount: 10 }, { email: "a@example.com" })).results,
      ...(await groups.members("g", { amount: 10 })).results,
      ...[...state.users.values()].map(({ user }) => user.value),
    ];
    expect(shown).toHaveLength(8);
    expect(JSON.stringify(shown)).not.toContain("sessions_valid_after");
  });

  it("name the owner of a key, until the owner is gone", async () => {
    const { sessions, users } = bed.directory;
    const { userId } = await sessions.get("alice");
    const key = { accessKeyId: "K", secretAccessKey: "s", userId, username: "alice" };
    expect(await sessions.key("K")).toEqual(key);
    expect(await codeOf(sessions.key("L"))).toBe("not_found");
    expect(await codeOf(sessions.key("x".repeat(5_000)))).toBe("not_found");
    await users.delete("alice");
    await users.create({ username: "alice" });
    expect(await codeOf(sessions.key("K"))).toBe("not_found");
  });

  it("say whether the user holds a key and whether a token is claimed", async () => {
    const { sessions, tokenClaims, users, credentials } = bed.directory;
    await users.create({ username: "bob" });
    await credentials.create("bob", { access_key_id: "B", secret_access_key: "s" });
    await tokenClaims.claim("t", Math.floor(START / 1_000) + 10);
    const facts = ({ holdsKey, isTokenClaimed }: Session) => ({ holdsKey, isTokenClaimed });
    const of = async (asked?: { accessKeyId?: string; tokenId?: string }) =>
      facts(await sessions.get("alice", asked));
    expect(await of()).toEqual({ holdsKey: true, isTokenClaimed: false });
    expect(await of({ accessKeyId: "K", tokenId: "u" })).toEqual({ holdsKey: true, isTokenClaimed: false });
    expect(await of({ accessKeyId: "B", tokenId: "t" })).toEqual({ holdsKey: false, isTokenClaimed: true });
    const odd = "x".repeat(5_000);
    expect(await of({ accessKeyId: odd, tokenId: odd })).toEqual({ holdsKey: false, isTokenClaimed: false });
    // A claim counts for as long as it is kept: the clock of another node may be behind.
    nowMs += 11_000;
    expect(await of({ tokenId: "t" })).toMatchObject({ isTokenClaimed: true });
  });
});
