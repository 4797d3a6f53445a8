/** `GET /api/v1/watch` over real connections (spec/journal §6.4). */

import { connect } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { REPLICA_SETTINGS } from "../../../src/api/changes/replica-stream.ts";
import { WATCH_LIMITS } from "../../../src/api/changes/watchers.ts";
import type { Touched } from "../../../src/store/port.ts";
import type { TestService } from "../../http/service-kit.ts";
import { makeToken, serviceClaims } from "../../identity/tokens.ts";
import { BEARER, positionAt, StreamReader, startChanges, TOKENS } from "./kit.ts";

let bed: TestService;
const readers: StreamReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await bed.close();
});

interface SeenEvent {
  readonly event: string;
  readonly id: string;
  readonly data: { readonly revision: number; readonly at?: string; readonly change?: unknown };
}

function eventOf(block: string): SeenEvent {
  const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { event: fields.event ?? "message", id: fields.id, data: JSON.parse(fields.data) };
}

async function watch(query = "", headers: Record<string, string> = {}, token: string = TOKENS.read) {
  const opened = await StreamReader.open(`${bed.url}/api/v1/watch${query}`, token, "\n\n", headers);
  readers.push(opened.reader);
  return { ...opened, next: async () => eventOf(await opened.reader.next()) };
}

let writes = 0;

/** Makes an entry that touches these names. */
function touch(touched: Touched): Promise<number> {
  const put = [{ partition: "user", key: "someone", value: JSON.stringify({ writes: ++writes }) }];
  return bed.store.commit({ put, touched });
}

const newest = () => bed.store.history.head.revision;

describe("a watch", () => {
  it("names the newest revision at first, and then what each entry touched", async () => {
    bed = await startChanges();
    const before = newest();
    const { answer, next } = await watch();
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const positionOf = (revision: number) => positionAt(bed.store, revision);
    const position = await positionOf(before);
    expect(await next()).toEqual({
      event: "revision",
      id: position,
      data: { revision: before, id: position.split(".")[2] },
    });
    await touch({ users: ["alice"] });
    await touch({ groups: ["Staff"] });
    await touch({ users: ["alice"], groups: ["Staff"] });
    const seen = [await next(), await next(), await next()];
    expect(seen.map(({ event, id, data }) => [event, id, data.revision, data.change])).toEqual([
      ["message", await positionOf(before + 1), before + 1, { users: ["alice"] }],
      ["message", await positionOf(before + 2), before + 2, { groups: ["Staff"] }],
      ["message", await positionOf(before + 3), before + 3, { users: ["alice"], groups: ["Staff"] }],
    ]);
    expect(Date.parse(seen[0]!.data.at!)).toBeGreaterThan(0);
  });

  it("goes on behind `position`, or behind the last event that a reader had, without a gap", async () => {
    bed = await startChanges();
    const before = newest();
    for (let number = 0; number < 250; number++) {
      await touch({ users: [`u${number}`] });
    }
    const after = await watch(`?position=${await positionAt(bed.store, before + 5)}`);
    const resumed = await watch(`?after=0`, { "last-event-id": await positionAt(bed.store, before + 100) });
    for (const [{ next }, first] of [
      [after, before + 6],
      [resumed, before + 101],
    ] as const) {
      // Who is cut off behind the first event goes on where it began: that event names nothing that is yet to come.
      expect(await next()).toMatchObject({ event: "revision", id: await positionAt(bed.store, first - 1) });
      for (let revision = first; revision <= newest(); revision++) {
        expect((await next()).data.revision).toBe(revision);
      }
    }
    await touch({ users: ["last"] });
    for (const { next } of [after, resumed]) {
      expect((await next()).data.change).toEqual({ users: ["last"] });
    }
  });

  it("leaves out no entry for readers who come while entries are made", async () => {
    bed = await startChanges();
    const before = newest();
    const last = before + 400;
    const writing = (async () => {
      while (newest() < last) await touch({ users: ["alice"] });
    })();
    const position = await positionAt(bed.store, before);
    const opened = await Promise.all(Array.from({ length: 20 }, () => watch(`?position=${position}`)));
    await writing;
    for (const { next } of opened) {
      expect((await next()).event).toBe("revision");
      for (let revision = before + 1; revision <= last; revision++) {
        expect((await next()).data.revision).toBe(revision);
      }
    }
  });

  it.each([
    ["above the newest one", (log: string, id: string) => `position=${newest() + 1}.${log}.${id}`],
    ["of another log", (_log: string, id: string) => `position=${newest()}.AAAAAAAA.${id}`],
    ["of another id", (log: string) => `position=${newest()}.${log}.AAAAAAAA`],
    ["without an id", (log: string) => `after=${newest()}.${log}`],
    ["without a log", () => `after=${newest()}.`],
    ["that is no longer kept", (log: string, _id: string, first: string) => `position=1.${log}.${first}`],
  ])("begins with a reset for an entry %s", async (_what, queryOf) => {
    bed = await startChanges();
    const first = bed.store.history.head.id.slice(0, 8);
    await touch({ users: ["alice"] });
    await bed.store.history.forgetPast();
    const { next } = await watch(
      `?${queryOf(bed.store.logId, bed.store.history.head.id.slice(0, 8), first)}`,
    );
    let event = await next();
    if (event.event === "revision") event = await next();
    expect([event.event, event.data.revision]).toEqual(["reset", newest()]);
    await touch({ users: ["bob"] });
    expect((await next()).data.change).toEqual({ users: ["bob"] });
  });

  it("says that anything may have changed where an entry touches caches and names nothing", async () => {
    bed = await startChanges();
    const { next } = await watch();
    await next();
    await bed.store.commit({
      put: [{ partition: "user", key: "x", value: "{}" }],
      change: { users: ["id-of-x"] },
    });
    expect((await next()).data.change).toEqual({ all: true });
  });

  it("names what use cases of the directory touch", async () => {
    bed = await startChanges();
    const { next } = await watch();
    await next();
    await bed.directory.users.create({ username: "alice" });
    expect((await next()).data.change).toEqual({ users: ["alice"] });
    await bed.directory.policies.create({
      name: "Read",
      statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }],
    });
    expect((await next()).data.change).toEqual({ policies: ["Read"] });
  });

  it("names the newest revision again and again", async () => {
    bed = await startChanges({ watch: { ...WATCH_LIMITS, beatMs: 30 } });
    const { next } = await watch();
    for (let beat = 0; beat < 4; beat++) expect((await next()).event).toBe("revision");
  });

  it.each([
    ["without scope read", TOKENS.replicate, "", 403],
    ["without a token", "x", "", 401],
    ["from a revision of no form", TOKENS.read, "?after=now", 400],
    ["from a position that is misspelt", TOKENS.read, "?postion=5.h7Gc2xQa.Zk3vT0bR", 400],
  ])("is refused %s", async (_what, token, query, status) => {
    bed = await startChanges();
    const answer = await fetch(`${bed.url}/api/v1/watch${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(status);
  });

  it("has a bounded number of readers, and tells all of them", async () => {
    bed = await startChanges({ watch: { ...WATCH_LIMITS, readers: 200 } });
    const all = [];
    for (let number = 0; number < 100; number++) {
      all.push(await watch(), await watch("", {}, TOKENS.other));
    }
    expect((await watch()).answer.status).toBe(503);
    for (const { next } of all) await next();
    await touch({ users: ["alice"] });
    for (const { next } of all) expect((await next()).data.change).toEqual({ users: ["alice"] });
    all[0]!.reader.close();
    await expect.poll(async () => (await watch()).answer.status).toBe(200);
  });

  it("keeps half of the places for other callers", async () => {
    bed = await startChanges({ watch: { ...WATCH_LIMITS, readers: 4 } });
    const [first] = [await watch(), await watch()];
    expect((await watch()).answer.status).toBe(503);
    expect((await watch("", {}, TOKENS.other)).answer.status).toBe(200);
    first.reader.close();
    await expect.poll(async () => (await watch()).answer.status).toBe(200);
  });

  it("disconnects a reader that is 1 MiB behind, and no other", async () => {
    bed = await startChanges();
    const good = await watch();
    await good.next();
    const { hostname, port } = new URL(bed.url);
    const idle = connect(Number(port), hostname);
    idle.pause();
    const closed = new Promise<void>((resolve) => {
      idle.on("close", () => resolve());
      idle.on("error", () => {});
    });
    idle.write(`GET /api/v1/watch HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${TOKENS.read}\r\n\r\n`);
    const users = Array.from({ length: 5_000 }, (_, index) => `${"a".repeat(200)}${index}`);
    for (let entry = 0; entry < 20; entry++) {
      await touch({ users });
      expect((await good.next()).data.change).toEqual({ users });
    }
    // Reads what the kernel still holds, up to the end that the server made.
    idle.resume();
    await closed;
    await touch({ users: ["alice"] });
    expect((await good.next()).data.change).toEqual({ users: ["alice"] });
  });

  it("ends when tokens are read again, since its own may be gone", async () => {
    bed = await startChanges();
    const { reader, next } = await watch();
    await next();
    bed.listener.replaceTokens(BEARER);
    await reader.end();
    expect(reader.ended).toBe(true);
  });

  it.each([
    ["/api/v1/watch", "\n\n"],
    ["/api/v1/replica", "\n"],
  ])("%s ends with the token that opened it, and is taken up with the next", async (path, end) => {
    const beatMs = 50;
    bed = await startChanges({
      watch: { ...WATCH_LIMITS, beatMs },
      replica: { ...REPLICA_SETTINGS, beatMs },
    });
    const secretKey = "a-key-of-this-test-alone-0123456789-0123456789";
    bed.listener.replaceTokens({ secretKey });
    const opened = (seconds: number) => {
      const exp = Math.floor(Date.now() / 1_000) + seconds;
      const token = makeToken({ claims: { ...serviceClaims(Date.now()), exp }, key: secretKey });
      return StreamReader.open(`${bed.url}${path}`, token, end);
    };
    const [short, long, longest] = [await opened(2), await opened(3_600), await opened(86_400)];
    readers.push(short.reader, long.reader, longest.reader);
    expect([short, long, longest].map(({ answer }) => answer.status)).toEqual([200, 200, 200]);
    await short.reader.end();
    expect(long.reader.ended).toBe(false);
    // A clock that was late and is set right.
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 3_600_000);
    await long.reader.end();
    expect(longest.reader.ended).toBe(false);
  });
});
