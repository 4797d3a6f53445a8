/** Records of single sessions: their bounds, their end on other nodes, and after a state was put back. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MOST_SESSIONS, type NotedSession } from "../../src/directory/issued-sessions.ts";
import { openIdentities } from "../../src/identity/open-identities.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { BACKENDS, codeOf } from "./backends.ts";
import { openDirectoryOn, openTestDirectory, SECRET_KEY, type TestDirectory } from "./open-test-directory.ts";

const NOW = 1_700_000_000;
const ALL = { amount: 1_000 };

describe.each(BACKENDS)("issued sessions on $name", (backend) => {
  let bed: TestDirectory;
  let now: number;
  beforeEach(async () => {
    now = NOW;
    bed = await openTestDirectory({ backend, now: () => now });
    await bed.directory.users.create({ username: "alice" });
  });
  afterEach(() => bed.close());

  async function sessions(count: number, username = "alice"): Promise<NotedSession[]> {
    const { userId, since } = await bed.directory.sessions.get(username);
    return Array.from({ length: count }, () => ({
      id: bed.directory.issuedSessions.newId(),
      username,
      userId,
      since,
      issuedAt: now,
      expiresAt: now + 3_600,
    }));
  }
  const ids = async (page = ALL) =>
    (await bed.directory.issuedSessions.list("alice", page)).results.map(({ id }) => id);
  const kept = (partition: string) =>
    withSnapshot(bed.store, async (snapshot) => (await snapshot.scan(partition, { limit: 1_000 })).length);

  it("keep the newest of each user, whether they come at once or one by one", async () => {
    const { issuedSessions } = bed.directory;
    const first = await sessions(MOST_SESSIONS + 5);
    await issuedSessions.note(first);
    const newest = first
      .slice(5)
      .map(({ id }) => id)
      .sort();
    expect(await ids()).toEqual(newest);
    const [one] = await sessions(1);
    await issuedSessions.note([one!]);
    expect(await ids()).toEqual([...newest.slice(1), one!.id].sort());
    expect([await kept("issued"), await kept("issued_expiry")]).toEqual([MOST_SESSIONS, MOST_SESSIONS]);
  });

  it("are over with their time, and then leave no record", async () => {
    const { issuedSessions } = bed.directory;
    const [one] = await sessions(1);
    await issuedSessions.note([one!]);
    now += 3_600;
    expect(await ids()).toEqual([]);
    expect(await codeOf(issuedSessions.end("alice", one!.id))).toBe("not_found");
    now += 1;
    bed.directory.wakeUpkeep();
    await expect.poll(async () => [await kept("issued"), await kept("issued_expiry")]).toEqual([0, 0]);
  });

  it("are not noted for a user who is gone, or who has the name now", async () => {
    const old = await sessions(1);
    await bed.directory.users.delete("alice");
    await bed.directory.issuedSessions.note(old);
    await bed.directory.users.create({ username: "alice" });
    await bed.directory.issuedSessions.note(old);
    expect(await ids()).toEqual([]);
    expect(await kept("issued")).toBe(0);
  });

  it("that were ended are not listed where an earlier record of them comes back", async () => {
    const { issuedSessions } = bed.directory;
    const one = await sessions(1);
    await issuedSessions.note(one);
    await issuedSessions.end("alice", one[0]!.id);
    await issuedSessions.note(one);
    expect(await ids()).toEqual([]);
    expect(await codeOf(issuedSessions.end("alice", one[0]!.id))).toBe("not_found");
  });
});

it("an ended session is refused on another node that has just verified it", async () => {
  const engine = new MemoryEngine();
  const start = async () => {
    const store = await openNode(sharedBy(engine));
    const directory = await openDirectoryOn(store);
    const identities = openIdentities({
      directory,
      onLostSessions: (sessions) => expect.fail(`${sessions} sessions were not noted`),
      cache: { enabled: true, size: 100, ttl: 600_000, jitter: 0 },
      secretKey: SECRET_KEY,
      region: "us-east-1",
      loginDuration: 3_600_000,
      loginMaxDuration: 7_200_000,
      maxFailures: { count: 20, intervalMs: 60_000 },
    });
    return { store, directory, identities };
  };
  const [here, there] = [await start(), await start()];
  await here.directory.users.create({ username: "alice" });
  const { userId } = await here.directory.sessions.get("alice");
  const issued = await here.identities.issueLoginToken({ username: "alice", userId });
  const other = await here.identities.issueLoginToken({ username: "alice", userId });
  await there.store.catchUp();
  const verified = async (token: string) => codeOf(Promise.try(() => there.identities.withLoginToken(token)));
  expect([await verified(issued.token), await verified(other.token)]).toEqual(["ok", "ok"]);
  const { tokenId = "" } = await there.identities.withLoginToken(issued.token);
  await expect.poll(() => codeOf(here.directory.issuedSessions.end("alice", tokenId))).toBe("ok");
  await expect.poll(() => verified(issued.token)).toBe("unauthenticated");
  expect(await verified(other.token)).toBe("ok");
  for (const { store, directory, identities } of [here, there]) {
    await identities.close();
    await directory.close();
    await store.close();
  }
});

it("a session that was ended stays ended where an earlier state is put back", async () => {
  const bed = await openTestDirectory();
  const store = bed.store as MemoryStore;
  const { issuedSessions, sessions } = bed.directory;
  await bed.directory.users.create({ username: "alice" });
  const { userId, since } = await sessions.get("alice");
  const expiresAt = Math.floor(Date.now() / 1_000) + 3_600;
  const one = { id: issuedSessions.newId(), username: "alice", userId, since, issuedAt: 1, expiresAt };
  await issuedSessions.note([one]);
  const image = store.capture();
  await issuedSessions.end("alice", one.id);
  store.restore(image);
  bed.directory.storeReplaced();
  await bed.directory.holdRevocations(
    [{ partition: "claim", key: one.id, state: String(expiresAt), expires: expiresAt }],
    false,
  );
  expect((await sessions.get("alice", { tokenId: one.id })).isTokenClaimed).toBe(true);
  expect((await issuedSessions.list("alice", ALL)).results).toEqual([]);
  await bed.close();
});
