/**
 * Login tokens where the directory went back to an earlier state (spec/journal §5): revisions are given twice then, so that
 * a token holds by the beginning of its user's sessions alone.
 */

import { describe, expect, it } from "vitest";
import type { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { endSessionsOf } from "../directory/end-sessions.ts";
import { openedEach } from "../opened.ts";
import { HERE, openTestIdentities, outcomeOf } from "./test-identities.ts";
import { makeToken, serverClaims } from "./tokens.ts";

const opened = openedEach(() => openTestIdentities());

const issue = async (): Promise<string> => {
  const identity = await opened.identities.withAccessKey("AK-ALICE", "secret of AK-ALICE", HERE);
  return (await opened.identities.issueLoginToken(identity)).token;
};

/** Verifies a token at a node that has nothing cached. */
async function verify(token: string): Promise<string> {
  const fresh = opened.open();
  try {
    return await outcomeOf(() => fresh.withLoginToken(token));
  } finally {
    fresh.close();
  }
}

/** The same token as version 0.2 issued it, at a revision. */
async function asBefore(revision: number): Promise<string> {
  const { userId } = await opened.directory.sessions.get("alice");
  const claims = serverClaims("alice", opened.clock.now);
  return makeToken({ claims: { ...claims, "svc-authorizer": { user_id: userId, revision } } });
}

describe("a login token of a time line that was lost", () => {
  it.each([
    ["were never ended before", async () => {}, "alice"],
    ["were ended in what is kept", () => endSessionsOf(opened.directory, "alice"), "unauthenticated"],
  ])(
    "ends with the sessions of its user, which %s, whatever its revision",
    async (_what, prepare, withoutBeginning) => {
      await prepare();
      const store = opened.store as MemoryStore;
      const image = store.capture();
      for (let count = 0; count < 20; count++) {
        await opened.directory.users.update("alice", { friendly_name: `A${count}` });
      }
      const token = await issue();
      const { revision } = await opened.directory.sessions.get("alice");
      const old = await asBefore(revision + 1_000);
      store.restore(image);
      expect([await verify(token), await verify(old)]).toEqual(["alice", withoutBeginning]);
      await endSessionsOf(opened.directory, "alice");
      expect([await verify(token), await verify(old)]).toEqual(["unauthenticated", "unauthenticated"]);
      expect(await verify(await issue())).toBe("alice");
    },
  );

  it("does not hold where the beginning that it was issued at is lost", async () => {
    const store = opened.store as MemoryStore;
    const image = store.capture();
    await endSessionsOf(opened.directory, "alice");
    const token = await issue();
    store.restore(image);
    expect(await verify(token)).toBe("unauthenticated");
  });

  it("of a data server ends by time, also after what ended sessions before was lost", async () => {
    const store = opened.store as MemoryStore;
    const image = store.capture();
    const token = makeToken({ claims: serverClaims("alice", opened.clock.now) });
    opened.clock.now += 2_000;
    await endSessionsOf(opened.directory, "alice");
    expect(await verify(token)).toBe("unauthenticated");
    store.restore(image);
    opened.clock.now += 2_000;
    await endSessionsOf(opened.directory, "alice");
    expect(await verify(token)).toBe("unauthenticated");
  });
});

describe("a login token of version 0.2", () => {
  it("holds by its revision until the record of sessions is written by this version", async () => {
    const { userId } = await opened.directory.sessions.get("alice");
    const revision = await opened.store.commit({
      put: [{ partition: "session", key: userId, value: JSON.stringify({ since: "then" }) }],
      change: { users: [userId] },
    });
    const tokens = [await asBefore(revision - 1), await asBefore(revision), await asBefore(revision + 9)];
    const verified = async () => Promise.all(tokens.map(verify));
    expect(await verified()).toEqual(["unauthenticated", "alice", "alice"]);
    await endSessionsOf(opened.directory, "alice");
    expect(await verified()).toEqual(["unauthenticated", "unauthenticated", "unauthenticated"]);
  });
});
