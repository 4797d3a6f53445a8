import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Outbox, type QueuedMail } from "../../src/mail/outbox.ts";
import type { InvitationRecord, MailRecord } from "../../src/mail/records.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";

const MAIL: MailRecord = {
  id: "1",
  username: "alice",
  email: "alice@example.com",
  secret: "sealed",
  invitation: "hash",
  message_id: "<1@example.com>",
  queued_at: 1_000,
  expires_at: 900_000,
  attempts: 0,
};
const INVITATION: InvitationRecord = { username: "alice", email: "alice@example.com", expires_at: 900_000 };

/** Two processes over one queue, as nodes of a fleet are. */
describe("a mail that two processes want to send", () => {
  let store: Store;
  let outbox: Outbox;
  let queued: QueuedMail;
  beforeEach(async () => {
    store = openMemoryStore();
    outbox = new Outbox(store);
    await outbox.add(MAIL, 1_000, INVITATION);
    queued = (await outbox.first())!;
  });
  afterEach(() => store.close());

  const begun = (holder: string, attempts: number): MailRecord => ({ ...MAIL, holder, attempts });

  it("is claimed by one of them", async () => {
    const claims = await Promise.allSettled([
      outbox.postpone(queued, begun("one", 1), 60_000, "user-id"),
      outbox.postpone(queued, begun("other", 1), 60_001, "user-id"),
    ]);
    expect(claims.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = claims.find((claim) => claim.status === "rejected");
    expect((refused as PromiseRejectedResult).reason).toMatchObject({ code: "conflict" });
    expect(await outbox.count()).toBe(1);
  });

  it("is not taken away by the one whose claim another has taken over", async () => {
    const early = await outbox.postpone(queued, begun("one", 1), 60_000, "user-id");
    // Its time is over, as the process was suspended: the other sends it again, with the same Message-ID.
    const late = await outbox.postpone((await outbox.first())!, begun("other", 2), 120_000, "user-id");
    if (early === false || late === false) throw new Error("there is no claim");
    const failed = {
      username: "",
      email: "",
      message_id: "",
      queued_at: 0,
      failed_at: 0,
      attempts: 1,
      reason: "",
    };
    for (const move of [
      outbox.remove(early),
      outbox.replace(early, begun("one", 1), 70_000),
      outbox.fail(early, MAIL.id, failed),
      outbox.drop(early, MAIL.invitation),
    ]) {
      await expect(move).rejects.toMatchObject({ code: "conflict" });
    }
    expect((await outbox.first())?.record).toMatchObject({
      holder: "other",
      attempts: 2,
      message_id: MAIL.message_id,
    });
    await outbox.remove(late);
    expect(await outbox.count()).toBe(0);
  });
});
