import { describe, expect, it } from "vitest";
import { IssuedNotes } from "../../src/identity/issued-notes.ts";

const SESSION = {
  id: "01m3x8k2v07zq4n5w9r6t1y2pc",
  userId: "u1",
  username: "alice",
  since: "",
  issuedAt: 1_700_000_000,
  expiresAt: 1_700_003_600,
};

describe("notes of issued sessions", () => {
  it("tell how many a store that is away did not take, and go on", async () => {
    let isAway = true;
    let noted = 0;
    let lost = 0;
    const store = {
      note: async (sessions: readonly unknown[]) => {
        if (isAway) throw new Error("away");
        noted += sessions.length;
      },
    };
    const notes = new IssuedNotes(store, (sessions) => {
      lost += sessions;
    });
    for (let session = 0; session < 150; session++) notes.add(SESSION);
    await expect.poll(() => lost).toBe(150);
    isAway = false;
    notes.add(SESSION);
    await expect.poll(() => noted).toBe(1);
    expect(lost).toBe(150);
  });

  it("tell of those that have no place in the queue", () => {
    let lost = 0;
    const notes = new IssuedNotes({ note: () => new Promise(() => {}) }, (sessions) => {
      lost += sessions;
    });
    for (let session = 0; session < 1_002; session++) notes.add(SESSION);
    expect(lost).toBe(2);
  });
});
