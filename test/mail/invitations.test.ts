import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { rotateSecretKey } from "../../src/directory/upkeep/rotate-key.ts";
import { codeOf, failingStore, LOCAL, MEMORY } from "../directory/backends.ts";
import {
  openDirectoryOn,
  openTestDirectory,
  SECRET_KEY,
  type TestDirectory,
} from "../directory/open-test-directory.ts";
import { inviteNew, openRoom, type Room, recordsOf } from "./kit.ts";
import { type MailServer, startServer, stopServers, tokenOf } from "./mail-server.ts";

let bed: TestDirectory;
let server: MailServer;
const rooms: Room[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterAll(stopServers);
beforeEach(async () => {
  bed = await openTestDirectory();
});
afterEach(async () => {
  for (const { invitations } of rooms.splice(0)) await invitations.close();
  server.refuse({});
  server.mails.length = 0;
  await bed.close();
});

function open(
  ...[config, options]: [Parameters<typeof openRoom>[1]?, Parameters<typeof openRoom>[2]?]
): Room {
  const room = openRoom(bed, { smtpPort: server.port, ...config }, options);
  rooms.push(room);
  return room;
}

/** Redeems a token for an access key. */
function redeem({ invitations }: Pick<Room, "invitations">, token: string, { directory } = bed) {
  return invitations.redeem(token, "invitation", async (user) => {
    await directory.credentials.create(user.username);
    return user;
  });
}

async function delivered(count: number): Promise<void> {
  await expect.poll(() => server.mails.length).toBe(count);
}

describe("an invitation", () => {
  it("is refused without a mail server, with a text that names what to set, and leaves nothing", async () => {
    const { invitations } = open({ smtpHost: undefined, sender: undefined });
    const failure = await invitations.invite({ username: "a", email: "a@b" }).catch((error) => error);
    expect(failure.code).toBe("invalid_request");
    expect(failure.message).toContain("email.smtp_host");
    expect(failure.message).toContain("email.sender");
    expect(await recordsOf(bed.store, "outbox")).toEqual([]);
  });

  it("is refused at burst 0", async () => {
    const failure = await open({ burst: 0 })
      .invitations.invite({ username: "a", email: "a@b" })
      .catch((error) => error);
    expect(failure.code).toBe("invalid_request");
    expect(failure.message).toContain("email.burst");
  });

  it.each([
    ["/email", "a", ""],
    ["/email", "a", "a@b\r\nBcc: c@d"],
    ["/email", "a", "a@b, c@d"],
    ["/username", "a\r\nb", "a@b"],
    ["/username", "", "a@b"],
  ])("is refused for an odd %s", async (pointer, username, email) => {
    const failure = await open()
      .invitations.invite({ username, email })
      .catch((error) => error);
    expect(failure.code).toBe("invalid_request");
    expect(failure.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual([pointer]);
  });

  it("is refused for a user who exists: the holder of the link would take over the account", async () => {
    const { invitations } = open();
    await bed.directory.users.create({ username: "alice", email: "alice@b" });
    for (const email of ["alice@b", "mallory@b"]) {
      expect(await codeOf(invitations.invite({ username: "alice", email }))).toBe("already_exists");
    }
    expect(await recordsOf(bed.store, "outbox")).toEqual([]);
  });

  it("is stored whole or not at all, and refused when the store fails", async () => {
    const store = failingStore(bed.store, 0);
    const { invitations } = openRoom({ ...bed, store }, { smtpPort: server.port });
    expect(await codeOf(invitations.invite({ username: "a", email: "a@b" }))).toBe("unavailable");
    expect(await recordsOf(bed.store, "outbox")).toEqual([]);
    expect(await recordsOf(bed.store, "invitation")).toEqual([]);
    expect(invitations.counters.queued).toBe(0);
  });

  it("queued before its user exists waits for the user", async () => {
    const room = open();
    room.invitations.start();
    const { userId } = await room.invitations.invite({ username: "late", email: "late@b" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.mails).toEqual([]);
    await bed.directory.users.create({ username: "late", email: "late@b" }, userId);
    await delivered(1);
    expect(await redeem(room, tokenOf(server.mails[0]!))).toMatchObject({ username: "late" });
  });

  it("is dropped when nobody creates the user, or somebody with another address", async () => {
    const room = open({}, { timing: { userWaitMs: 50 } });
    await room.invitations.invite({ username: "nobody", email: "nobody@b" });
    await room.invitations.invite({ username: "other", email: "other@b" });
    await bed.directory.users.create({ username: "other", email: "attacker@b" });
    room.invitations.start();
    await expect.poll(() => room.invitations.counters.dropped).toBe(2);
    expect(server.mails).toEqual([]);
    expect(await recordsOf(bed.store, "outbox")).toEqual([]);
    expect(await recordsOf(bed.store, "invitation")).toEqual([]);
  });
});

describe("the token", () => {
  async function invited(room: Room, username = "alice"): Promise<string> {
    room.invitations.start();
    const before = server.mails.length;
    await inviteNew(bed, room, username);
    await delivered(before + 1);
    return tokenOf(server.mails[before]!);
  }

  it("has 32 random bytes and is redeemed once", async () => {
    const room = open();
    const tokens = [await invited(room, "alice"), await invited(room, "bob")];
    expect(new Set(tokens.map((token) => Buffer.from(token, "base64url").length))).toEqual(new Set([32]));
    expect(tokens[0]).not.toBe(tokens[1]);
    const id = (await bed.directory.principal("alice"))?.id;
    expect(await redeem(room, tokens[0]!)).toEqual({
      username: "alice",
      email: "alice@example.com",
      userId: id,
    });
    expect(await room.invitations.state(tokens[0]!)).toBe("used");
    expect(await room.invitations.state(tokens[1]!)).toBe("open");
    expect(await codeOf(redeem(room, tokens[0]!))).toBe("not_found");
    expect(await codeOf(redeem(room, tokens[1]!))).toBe("ok");
  });

  it("is not redeemed again after its record was put back, as by the restoration of a backup", async () => {
    const room = open();
    room.invitations.start();
    await inviteNew(bed, room, "alice");
    await delivered(1);
    const token = tokenOf(server.mails[0]!);
    const [{ key, ...record } = { key: "" }] = await recordsOf(bed.store, "invitation");
    expect(await codeOf(redeem(room, token))).toBe("ok");
    const put = { partition: "invitation", key: String(key), value: JSON.stringify(record) };
    await bed.store.commit({ put: [put] });
    expect(await codeOf(redeem(room, token))).toBe("not_found");
  });

  it("is used up in one commit with what it gives, or goes on holding", async () => {
    const store = failingStore(bed.store);
    const directory = await openDirectoryOn(store);
    const room = openRoom({ store, directory }, { smtpPort: server.port });
    rooms.push(room);
    const token = await invited(room);
    // What follows the sending of the mail is over.
    await room.invitations.close();
    const give = ({ username }: { readonly username: string }) => directory.credentials.create(username);
    const attempt = () => codeOf(room.invitations.redeem(token, "invitation", give));
    const { tried } = store;
    store.commitsLeft = 0;
    expect(await attempt()).toBe("unavailable");
    expect(await room.invitations.state(token)).toBe("open");
    store.commitsLeft = 1;
    expect(await attempt()).toBe("ok");
    expect(store.tried - tried).toBe(2);
    expect(await room.invitations.state(token)).toBe("used");
    store.commitsLeft = Number.POSITIVE_INFINITY;
    expect(await attempt()).toBe("not_found");
    expect((await directory.credentials.list("alice", { amount: 10 })).results).toHaveLength(1);
    await directory.close();
  });

  it("is as used as its key is made, where nobody knows whether it was", async () => {
    const store = failingStore(bed.store);
    const directory = await openDirectoryOn(store);
    const room = openRoom({ store, directory }, { smtpPort: server.port });
    rooms.push(room);
    const token = await invited(room);
    await room.invitations.close();
    Object.assign(store, { commitsLeft: 0, loseAnswers: true });
    const give = ({ username }: { readonly username: string }) => directory.credentials.create(username);
    expect(await codeOf(room.invitations.redeem(token, "invitation", give))).toBe("unavailable");
    expect(await room.invitations.state(token)).toBe("used");
    expect((await directory.credentials.list("alice", { amount: 10 })).results).toHaveLength(1);
    await directory.close();
  });

  it("is redeemed by one of many who try at once", async () => {
    const room = open();
    const token = await invited(room);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(redeem(room, token))));
    expect(codes.filter((code) => code === "ok")).toHaveLength(1);
    expect(codes.filter((code) => code === "not_found")).toHaveLength(19);
  });

  it("expires after seven days", async () => {
    const clock = { offset: 0 };
    const room = open({}, { now: () => Date.now() + clock.offset });
    const [first, second] = [await invited(room, "alice"), await invited(room, "bob")];
    clock.offset = 7 * 86_400_000 - 60_000;
    expect(await codeOf(redeem(room, first))).toBe("ok");
    clock.offset = 7 * 86_400_000;
    expect(await codeOf(redeem(room, second))).toBe("not_found");
    expect(await room.invitations.state(second)).toBe("expired");
  });

  it("does not open the account of another user who got the name", async () => {
    const room = open();
    const token = await invited(room);
    await bed.directory.users.delete("alice");
    expect(await room.invitations.state(token)).toBe("withdrawn");
    expect(await codeOf(redeem(room, token))).toBe("not_found");
    await bed.directory.users.create({ username: "alice", email: "alice@example.com" });
    expect(await codeOf(redeem(room, token))).toBe("not_found");
  });

  it("that was never given is not found, whatever the text", async () => {
    const { invitations } = open();
    for (const token of [
      "",
      "x",
      "A".repeat(43),
      `${"A".repeat(43)}\n`,
      "../".repeat(20),
      "A".repeat(5_000),
    ]) {
      expect(await codeOf(redeem({ invitations }, token))).toBe("not_found");
      expect(await invitations.state(token)).toBe("unknown");
    }
  });

  it("is stored as its hash, and sealed for its mail and recipient in the queue", async () => {
    const room = open();
    await inviteNew(bed, room, "alice");
    await inviteNew(bed, room, "mallory");
    const [one, two] = await recordsOf(bed.store, "outbox");
    // Somebody who can write the store puts another recipient beside the secret.
    const forged = { ...one, email: two!["email"], username: two!["username"] };
    const { key, ...record } = forged as unknown as { key: string };
    await bed.store.commit({ put: [{ partition: "outbox", key, value: JSON.stringify(record) }] });
    room.invitations.start();
    await delivered(1);
    await expect.poll(() => room.invitations.counters).toMatchObject({ sent: 1, failed: 1, queued: 0 });
    expect(room.log.join("\n")).toContain("cannot be decrypted");
    const token = tokenOf(server.mails[0]!);
    const stored = JSON.stringify(await recordsOf(bed.store, "invitation"));
    expect(stored).not.toContain(token);
  });
});

describe("what has expired", () => {
  it("is removed: invitations, records of failed mails, and mails that never left", async () => {
    const clock = { offset: 0 };
    const now = () => Date.now() + clock.offset;
    server.refuse({ recipient: [550] });
    const room = open({}, { now });
    room.invitations.start();
    await inviteNew(bed, room, "alice");
    await expect.poll(() => room.invitations.counters.failed).toBe(1);
    await room.invitations.close();
    await inviteNew(bed, room, "bob");
    expect(await recordsOf(bed.store, "outbox_failed")).toHaveLength(1);
    expect(await recordsOf(bed.store, "invitation")).toHaveLength(2);

    clock.offset = 8 * 86_400_000;
    const later = open({}, { now });
    later.invitations.start();
    await expect.poll(() => later.invitations.counters.failed).toBe(1);
    expect(await recordsOf(bed.store, "invitation")).not.toEqual([]);
    expect(later.log.join("\n")).toContain("expired before");
    await later.invitations.close();

    clock.offset = 40 * 86_400_000;
    const last = open({}, { now });
    last.invitations.start();
    await expect.poll(async () => (await recordsOf(bed.store, "outbox_failed")).length).toBe(0);
    expect(await recordsOf(bed.store, "invitation")).toEqual([]);
  });
});

describe("a change of the secret key", () => {
  const newKey = "another key of the tests, long enough";

  const withPreviousKey = async (store: TestDirectory["store"]) => {
    const between = await openDirectoryOn(store, { secretKey: newKey, previousSecretKey: SECRET_KEY });
    await between.close();
  };
  const offline = async (store: TestDirectory["store"]) => {
    await rotateSecretKey({ store, oldKey: SECRET_KEY, newKey, now: () => 1 });
  };

  it.each([
    ["the previous key in the configuration", MEMORY, withPreviousKey],
    ["the previous key in the configuration", LOCAL, withPreviousKey],
    ["the command", MEMORY, offline],
  ])("by %s keeps queued mails", async (_how, backend, rotate) => {
    const rotating = await openTestDirectory({ backend });
    const before = openRoom(rotating, { smtpPort: server.port });
    const users = Array.from({ length: 60 }, (_, index) => `user-${index}`);
    for (const name of users) await inviteNew(rotating, before, name);
    await rotating.directory.credentials.create("user-1");
    await rotating.directory.close();
    await rotate(rotating.store);
    const directory = await openDirectoryOn(rotating.store, { secretKey: newKey });
    const after = openRoom({ store: rotating.store, directory }, { smtpPort: server.port, burst: 1_000 });
    after.invitations.start();
    await expect.poll(() => server.mails.length).toBe(users.length);
    for (const mail of server.mails)
      expect(await codeOf(redeem(after, tokenOf(mail), { ...bed, directory }))).toBe("ok");
    await after.invitations.close();
    await directory.close();
    await rotating.close();
  });
});
