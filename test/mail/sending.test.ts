import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MailConfig } from "../../src/mail/settings.ts";
import type { MailTiming } from "../../src/mail/timing.ts";
import { slowStore } from "../directory/backends.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { selfSigned } from "../http/certificate.ts";
import { inviteNew, openRoom, type Room, recordsOf } from "./kit.ts";
import { bodyOf, headersOf, type MailServer, startServer, stopServers, tokenOf } from "./mail-server.ts";

let bed: TestDirectory;
const rooms: Room[] = [];

beforeEach(async () => {
  bed = await openTestDirectory();
});
afterEach(async () => {
  for (const { invitations } of rooms.splice(0)) await invitations.close();
  await stopServers();
  await bed.close();
});

/** Invitations that send to a port. */
function sendTo(port: number, config: Partial<MailConfig> = {}, timing: Partial<MailTiming> = {}): Room {
  const room = openRoom(bed, { smtpPort: port, ...config }, { timing });
  rooms.push(room);
  room.invitations.start();
  return room;
}

async function delivered(server: MailServer, count: number): Promise<void> {
  await expect.poll(() => server.mails.length).toBe(count);
}

/** Waits until something was logged. */
async function logged(room: Room, text: string): Promise<void> {
  await expect.poll(() => room.log.join("\n")).toContain(text);
}

describe("a mail", () => {
  it("reaches its one recipient with link, sender, HELO name and headers of its own", async () => {
    const server = await startServer();
    const room = sendTo(server.port);
    await inviteNew(bed, room, "alice");
    await delivered(server, 1);
    const mail = server.mails[0]!;
    expect(mail).toMatchObject({
      from: "data@example.com",
      to: ["alice@example.com"],
      helo: "authorizer.test",
    });
    const headers = headersOf(mail);
    expect(headers.get("from")).toBe("Data Service <data@example.com>");
    expect(headers.get("to")).toBe("alice@example.com");
    expect(headers.get("subject")).toBe("Your invitation to data.example.com");
    expect(headers.get("message-id")).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);
    expect(headers.get("auto-submitted")).toBe("auto-generated");
    expect(bodyOf(mail)).toContain(`https://data.example.com/base/auth/invite?token=${tokenOf(mail)}`);
    await expect
      .poll(() => room.invitations.counters)
      .toEqual({ queued: 0, sent: 1, retried: 0, failed: 0, dropped: 0 });
    expect(await recordsOf(bed.store, "outbox")).toEqual([]);
  });

  it("takes names with lines, markup and other scripts in its body only", async () => {
    const server = await startServer();
    const room = sendTo(server.port);
    const username = "Zoë <b>\u2028Bcc: x@y</b> 名";
    await inviteNew(bed, room, username, "zoe+1@example.com");
    await delivered(server, 1);
    const mail = server.mails[0]!;
    expect(mail.to).toEqual(["zoe+1@example.com"]);
    expect([...headersOf(mail).keys()]).not.toContain("bcc");
    expect(bodyOf(mail)).toContain("Zoë &lt;b&gt; Bcc: x@y&lt;/b&gt; 名");
    expect(bodyOf(mail)).not.toContain("\u2028");
  });
});

describe("a server that asks for a login", () => {
  const login = { username: "mailer", password: "correct horse battery" };

  it("gets user name and password", async () => {
    const server = await startServer({ login, insecureAuth: true });
    const room = sendTo(server.port, login);
    await inviteNew(bed, room, "alice");
    await delivered(server, 1);
    expect(server.mails[0]!.user).toBe("mailer");
  });

  it("and refuses the login is tried again, and nothing of the password is logged or stored", async () => {
    const server = await startServer({ login, insecureAuth: true });
    const room = sendTo(server.port, { ...login, password: "wrong horse staple" });
    await inviteNew(bed, room, "alice");
    await logged(room, "could not be sent yet");
    await expect.poll(() => server.logins.filter(({ right }) => !right).length).toBeGreaterThan(1);
    expect(room.log.join("\n")).toContain("535");
    expect(room.log.join("\n")).not.toContain("wrong horse");
    expect(JSON.stringify(await recordsOf(bed.store, "outbox"))).not.toContain("wrong horse");
    expect(server.mails).toEqual([]);
  });

  it("and is on another machine gets no password without TLS", async () => {
    // Connecting there reaches this machine, but the address does not count as one of it.
    const elsewhere = { smtpHost: "0.0.0.0" };
    const free = await startServer();
    const withoutLogin = sendTo(free.port, elsewhere);
    await inviteNew(bed, withoutLogin, "alice");
    await delivered(free, 1);
    await withoutLogin.invitations.close();

    const server = await startServer({ login, insecureAuth: true });
    const room = sendTo(server.port, { ...login, ...elsewhere });
    await inviteNew(bed, room, "bob");
    await logged(room, "could not be sent yet");
    expect(room.log.join("\n")).toContain("STARTTLS");
    expect(server.logins).toEqual([]);
    expect(server.mails).toEqual([]);
  });

  it("and whose certificate is not trusted gets neither password nor mail", async () => {
    for (const implicitTls of [true, false]) {
      const server = await startServer({ login, certificate: selfSigned("mail"), implicitTls });
      const room = sendTo(server.port, { ...login, useSsl: implicitTls });
      await inviteNew(bed, room, `user-${implicitTls}`);
      await logged(room, "self-signed");
      expect(server.logins).toEqual([]);
      expect(server.mails).toEqual([]);
      await room.invitations.close();
    }
  });
});

describe("a mail that is not taken", () => {
  it("is tried again after a temporary refusal, the same mail with the same Message-ID", async () => {
    const server = await startServer({ refuse: { data: [451] } });
    const room = sendTo(server.port);
    await inviteNew(bed, room, "alice");
    await delivered(server, 3);
    server.refuse({});
    await expect.poll(() => room.invitations.counters.sent).toBe(1);
    expect(new Set(server.mails.map((mail) => headersOf(mail).get("message-id"))).size).toBe(1);
    expect(new Set(server.mails.map(tokenOf)).size).toBe(1);
    expect(room.invitations.counters.retried).toBeGreaterThan(2);
    expect(room.log.join("\n")).not.toContain(tokenOf(server.mails[0]!));
  });

  it("is kept as failed at once when the recipient is refused for good; others go on", async () => {
    const server = await startServer({ refuse: { recipient: [550] } });
    const room = sendTo(server.port);
    await inviteNew(bed, room, "nobody");
    await expect.poll(() => room.invitations.counters.failed).toBe(1);
    expect(server.recipients).toEqual(["nobody@example.com"]);
    const [failed] = await recordsOf(bed.store, "outbox_failed");
    expect(failed).toMatchObject({ username: "nobody", attempts: 1, reason: expect.stringContaining("550") });
    expect(failed).not.toHaveProperty("secret");
    server.refuse({});
    await inviteNew(bed, room, "alice");
    await delivered(server, 1);
  });

  it("is kept as failed when its content is refused, and an answer that repeats the link is not logged", async () => {
    const server = await startServer({ refuse: { data: [554] } });
    const room = sendTo(server.port);
    await inviteNew(bed, room, "alice");
    await expect.poll(() => room.invitations.counters.failed).toBe(1);
    const token = tokenOf(server.mails[0]!);
    expect(room.log.join("\n")).toContain("554 5.7.1");
    const kept = room.log.join("\n") + JSON.stringify(await recordsOf(bed.store, "outbox_failed"));
    for (let at = 0; at + 8 <= token.length; at++) expect(kept).not.toContain(token.slice(at, at + 8));
  });

  it("is given up after a number of attempts", async () => {
    const server = await startServer({ refuse: { recipient: [450] } });
    const room = sendTo(server.port, {}, { maxAttempts: 3 });
    await inviteNew(bed, room, "alice");
    await expect.poll(() => room.invitations.counters.failed).toBe(1);
    expect(server.recipients).toHaveLength(3);
    expect(room.log.at(-1)).toMatch(/^error an invitation was given up/);
  });

  it("is given up some time after its first attempt", async () => {
    const server = await startServer({ refuse: { recipient: [450] } });
    const room = sendTo(server.port, {}, { maxAgeMs: 1_000 });
    await inviteNew(bed, room, "alice");
    await expect.poll(() => room.invitations.counters.failed).toBe(1);
    expect(server.recipients.length).toBeGreaterThan(1);
  });

  it("waits while the server is down, without wearing out the others, and leaves when it is up", async () => {
    const gone = await startServer();
    await gone.stop();
    // Attempts that no server took do not count against the rate.
    const room = sendTo(gone.port, { burst: 3, limitEveryMs: 3_600_000 });
    for (const name of ["a", "b", "c"]) await inviteNew(bed, room, name);
    await expect.poll(() => room.invitations.counters.retried).toBeGreaterThan(3);
    expect(room.invitations.counters.queued).toBe(3);
    const server = await startServer({ port: gone.port });
    await delivered(server, 3);
    expect(server.mails.flatMap(({ to }) => to).sort()).toEqual([
      "a@example.com",
      "b@example.com",
      "c@example.com",
    ]);
  });

  it("because the server is down leaves the others alone for a while", async () => {
    const gone = await startServer();
    await gone.stop();
    const room = sendTo(gone.port, {}, { firstRetryMs: 5_000, maxRetryMs: 5_000, maxPauseMs: 5_000 });
    for (const name of ["a", "b", "c"]) await inviteNew(bed, room, name);
    await logged(room, "could not be sent yet");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(room.invitations.counters).toMatchObject({ retried: 1, queued: 3 });
  });

  it("because the server is away holds up no new mail for an hour where the clock is set back by one", async () => {
    const clock = { offset: 0 };
    const away = await startServer();
    await away.stop();
    const now = () => Date.now() + clock.offset;
    // The first mail is not tried again here: only the pause of the queue is short.
    const timing = { firstRetryMs: 600_000, maxRetryMs: 600_000 };
    const room = openRoom(bed, { smtpPort: away.port }, { now, timing });
    rooms.push(room);
    room.invitations.start();
    await inviteNew(bed, room, "alice");
    await logged(room, "could not be sent yet");
    clock.offset = -3_600_000;
    const server = await startServer({ port: away.port });
    await inviteNew(bed, room, "bob");
    await delivered(server, 1);
    expect(server.mails[0]?.to).toEqual(["bob@example.com"]);
  });

  it("because the server falls silent is tried again", async () => {
    const silent = await startServer({ hang: true });
    const room = sendTo(silent.port, {}, { sendMs: 150 });
    await inviteNew(bed, room, "alice");
    await logged(room, "took too long");
    await silent.stop();
    const server = await startServer({ port: silent.port });
    await delivered(server, 1);
  });
});

describe("closing", () => {
  it("ends soon while a server is silent, and the next start sends the same mail at once", async () => {
    const silent = await startServer({ hang: true });
    const room = sendTo(silent.port, {}, { closeMs: 100 });
    await inviteNew(bed, room, "alice");
    await delivered(silent, 1);
    const begin = performance.now();
    await room.invitations.close();
    expect(performance.now() - begin).toBeLessThan(10_000);
    await silent.stop();
    const server = await startServer({ port: silent.port });
    sendTo(server.port);
    await delivered(server, 1);
    expect(headersOf(server.mails[0]!).get("message-id")).toBe(headersOf(silent.mails[0]!).get("message-id"));
  });

  it("lets the mail under way finish", async () => {
    const server = await startServer();
    const room = sendTo(server.port);
    await inviteNew(bed, room, "alice");
    await expect.poll(() => server.recipients.length).toBe(1);
    await room.invitations.close();
    expect(room.invitations.counters.sent).toBe(1);
    expect(await recordsOf(bed.store, "outbox")).toEqual([]);
  });
});

describe("the rate", () => {
  it("holds mails back after the burst", async () => {
    const server = await startServer();
    const room = sendTo(server.port, { burst: 2, limitEveryMs: 400 });
    const begin = performance.now();
    for (const name of ["a", "b", "c", "d"]) await inviteNew(bed, room, name);
    await delivered(server, 2);
    await delivered(server, 4);
    expect(performance.now() - begin).toBeGreaterThan(700);
  });

  it("holds also when further mails are queued meanwhile", async () => {
    const server = await startServer();
    const room = sendTo(server.port, { burst: 2, limitEveryMs: 3_600_000 });
    for (const name of ["a", "b", "c"]) await inviteNew(bed, room, name);
    await expect.poll(() => room.invitations.counters.sent).toBe(2);
    await inviteNew(bed, room, "d");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(server.mails).toHaveLength(2);
    expect(room.invitations.counters.queued).toBe(2);
  });

  it("is none at duration 0", async () => {
    const server = await startServer();
    const room = sendTo(server.port, { burst: 1, limitEveryMs: 0 });
    for (let user = 0; user < 20; user++) await inviteNew(bed, room, `user-${user}`);
    await delivered(server, 20);
  });
});

describe("two services on one store", () => {
  it("send each mail once", async () => {
    const server = await startServer();
    const open = (): Room => {
      const beside = { ...bed, store: slowStore(bed.store) };
      const room = openRoom(beside, { smtpPort: server.port, burst: 100 }, { timing: { idleMs: 1 } });
      rooms.push(room);
      room.invitations.start();
      return room;
    };
    const [one, other] = [open(), open()];
    for (let user = 0; user < 30; user++) await inviteNew(bed, user % 2 === 0 ? one : other, `user-${user}`);
    await delivered(server, 30);
    await one.invitations.close();
    await other.invitations.close();
    expect(new Set(server.mails.flatMap(({ to }) => to)).size).toBe(30);
    expect(one.invitations.counters.sent + other.invitations.counters.sent).toBe(30);
  });
});

describe("a mail that is queued while the queue is looked at", () => {
  it("is not overlooked until the next look", async () => {
    const server = await startServer();
    const look = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const store: TestDirectory["store"] = {
      ...bed.store,
      commit: (commit) => bed.store.commit(commit),
      async snapshot() {
        const snapshot = await bed.store.snapshot();
        return {
          revision: snapshot.revision,
          get: (partition, key) => snapshot.get(partition, key),
          getMany: (partition, keys) => snapshot.getMany(partition, keys),
          release: () => snapshot.release(),
          async scan(partition, options) {
            if (partition === "outbox" && options.limit === 1) {
              look.resolve();
              await goOn.promise;
            }
            return snapshot.scan(partition, options);
          },
        };
      },
    };
    const room = openRoom({ ...bed, store }, { smtpPort: server.port });
    rooms.push(room);
    room.invitations.start();
    await look.promise;
    await inviteNew(bed, room, "alice");
    goOn.resolve();
    await delivered(server, 1);
  });
});
