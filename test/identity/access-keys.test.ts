import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FailedAttempts } from "../../src/identity/failed-attempts.ts";
import { openIdentities } from "../../src/identity/open-identities.ts";
import { SECRET_KEY } from "../directory/open-test-directory.ts";
import { openedEach } from "../opened.ts";
import { addKey, CACHE, HERE, openTestIdentities, outcomeOf } from "./test-identities.ts";

const opened = openedEach(() => openTestIdentities());

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const attempt = (id: string, secret: string, source = HERE) =>
  outcomeOf(() => opened.identities.withAccessKey(id, secret, source));
const alice = (source = HERE) => attempt("AK-ALICE", "secret of AK-ALICE", source);

describe("an access key", () => {
  it("names its user, with the internal id and the key", async () => {
    const { userId } = await opened.directory.sessions.get("alice");
    expect(await opened.identities.withAccessKey("AK-ALICE", "secret of AK-ALICE", HERE)).toEqual({
      username: "alice",
      userId,
      how: "access_key",
      accessKeyId: "AK-ALICE",
    });
  });

  it("is verified at once when cached, without a promise", async () => {
    await alice();
    const found = opened.identities.withAccessKey("AK-ALICE", "secret of AK-ALICE", HERE);
    expect(found).toMatchObject({ username: "alice" });
    expect(opened.reads).toEqual(["key AK-ALICE"]);
    expect(opened.identities.counters).toMatchObject({ cacheHits: 1, cacheMisses: 1 });
  });

  it.each([
    ["another secret", "AK-ALICE", "secret of AK-BOB"],
    ["a part of the secret", "AK-ALICE", "secret of AK-ALIC"],
    ["more than the secret", "AK-ALICE", "secret of AK-ALICE "],
    ["no secret", "AK-ALICE", ""],
    ["an unknown id", "AK-NOBODY", "secret of AK-ALICE"],
    ["the id in another case", "ak-alice", "secret of AK-ALICE"],
    ["no id", "", ""],
    ["an id that can be none", "AK\u0000ALICE", "secret of AK-ALICE"],
    ["an endless id", "A".repeat(100_000), "secret"],
    ["a name of every object", "__proto__", "secret"],
  ])("is refused with %s, cached or not, and the message says no more", async (_name, id, secret) => {
    for (const round of ["not cached", "cached"]) {
      const error = await Promise.resolve()
        .then(() => opened.identities.withAccessKey(id, secret, HERE))
        .catch((thrown: unknown) => thrown);
      expect(error, round).toMatchObject({
        code: "unauthenticated",
        message: "the access key or its secret is not valid",
      });
      await alice();
    }
    expect(opened.identities.counters.failures).toBe(2);
  });

  it("that can be none never reaches the store", async () => {
    for (const id of ["", "..", "A".repeat(5_000), "a\nb", "\ud800"]) await attempt(id, "x");
    expect(opened.reads).toEqual([]);
  });

  it("of a user who is gone is refused, also when the name is given again", async () => {
    await alice();
    await opened.directory.users.delete("alice");
    expect(await alice()).toBe("unauthenticated");
    await opened.directory.users.create({ username: "alice" });
    expect(await alice()).toBe("unauthenticated");
  });
});

describe("the cache of access keys", () => {
  it("forgets a deleted key at once, and keeps those of others", async () => {
    await alice();
    await attempt("AK-BOB", "secret of AK-BOB");
    await opened.directory.credentials.delete("alice", "AK-ALICE");
    expect(await alice()).toBe("unauthenticated");
    await attempt("AK-BOB", "secret of AK-BOB");
    expect(opened.reads).toEqual(["key AK-ALICE", "key AK-BOB", "key AK-ALICE"]);
  });

  it("knows a new secret of a key at once", async () => {
    await alice();
    const change = {
      op: "put_credential",
      username: "alice",
      access_key_id: "AK-ALICE",
      secret_access_key: "new",
    } as const;
    await opened.directory.batches.apply([change], { managed: false });
    expect(await alice()).toBe("unauthenticated");
    expect(await attempt("AK-ALICE", "new")).toBe("alice");
  });

  it("forgets everything when anything may have changed", async () => {
    await alice();
    opened.directory.storeReplaced();
    await alice();
    expect(opened.reads).toHaveLength(2);
  });

  it("asks again when the time of an entry is over", async () => {
    await alice();
    opened.clock.now += CACHE.ttl - 1;
    await alice();
    expect(opened.reads).toHaveLength(1);
    opened.clock.now += 1;
    await alice();
    expect(opened.reads).toHaveLength(2);
  });

  it("keeps as many as it may", async () => {
    const small = opened.open({ cache: { ...CACHE, size: 1 } });
    for (const id of ["AK-ALICE", "AK-BOB", "AK-ALICE"])
      await small.withAccessKey(id, `secret of ${id}`, HERE);
    expect(opened.reads).toEqual(["key AK-ALICE", "key AK-BOB", "key AK-ALICE"]);
    small.close();
  });

  it("keeps nothing when it is off", async () => {
    const off = opened.open({ cache: { ...CACHE, enabled: false } });
    for (let round = 0; round < 2; round++) await off.withAccessKey("AK-BOB", "secret of AK-BOB", HERE);
    expect(opened.reads).toHaveLength(2);
    off.close();
  });

  it("lets concurrent attempts share one load", async () => {
    const outcomes = await Promise.all([alice(), alice(), attempt("AK-ALICE", "wrong")]);
    expect(outcomes).toEqual(["alice", "alice", "unauthenticated"]);
    expect(opened.reads).toHaveLength(1);
  });

  it("neither keeps nor shares a load that a write overtook", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    opened.hooks.beforeAnswer = () => gate;
    const early = alice();
    await new Promise(setImmediate);
    await opened.directory.credentials.delete("alice", "AK-ALICE");
    const late = alice();
    await new Promise(setImmediate);
    open();
    // Whoever came before the deletion may hear of the state before it; nobody after.
    expect([await early, await late]).toEqual(["alice", "unauthenticated"]);
    expect(await alice()).toBe("unauthenticated");
    expect(opened.reads).toHaveLength(3);
  });

  it("keeps no error: a store that failed is asked again", async () => {
    opened.hooks.beforeAnswer = () => Promise.reject(new AuthorizerError("unavailable", "the store is gone"));
    expect(await alice()).toBe("unavailable");
    opened.hooks.beforeAnswer = async () => {};
    expect(await alice()).toBe("alice");
    expect(opened.identities.counters.failures).toBe(0);
  });

  it("is left alone after closing", async () => {
    await alice();
    await opened.identities.close();
    await opened.directory.credentials.delete("alice", "AK-ALICE");
    expect(await alice()).toBe("alice");
  });
});

describe("failed attempts", () => {
  const LIMIT = 20;
  const fail = async (times: number, id = "AK-ALICE", source = HERE): Promise<string> => {
    let last = "";
    for (let round = 0; round < times; round++) last = await attempt(id, "wrong", source);
    return last;
  };

  it("over the limit are told so, with the time to wait", async () => {
    expect(await fail(LIMIT)).toBe("unauthenticated");
    expect(await fail(1)).toBe("unauthenticated TooManyFailures");
    expect(() => opened.identities.withAccessKey("AK-ALICE", "wrong", HERE)).toThrow(
      expect.objectContaining({ code: "unauthenticated", retryAfterSeconds: 3 }),
    );
    expect(opened.identities.counters).toMatchObject({ failures: LIMIT + 2, throttled: 2 });
  });

  it("never delay a correct credential: not from the same source, not at the same time", async () => {
    await fail(LIMIT * 3);
    const outcomes = await Promise.all([fail(1), alice(), fail(1), alice()]);
    expect(outcomes.filter((outcome) => outcome === "alice")).toHaveLength(2);
    // Nor when the key is not cached any more.
    opened.clock.now += CACHE.ttl;
    expect(await alice()).toBe("alice");
  });

  it("are counted for each key and each source", async () => {
    await fail(LIMIT + 1);
    expect(await fail(1, "AK-BOB")).toBe("unauthenticated");
    expect(await fail(1, "AK-ALICE", "192.0.2.2")).toBe("unauthenticated");
    expect(await fail(1)).toBe("unauthenticated TooManyFailures");
  });

  it.each([
    ["the /64 of IPv6 addresses", "2001:db8::1", "2001:db8::ffff:2", true],
    ["not more than the /64", "2001:db8::1", "2001:db8:0:1::1", false],
    ["an IPv4 address in either spelling", "192.0.2.9", "::ffff:192.0.2.9", true],
    ["a source that is no address, as a text", "unix socket", "other socket", false],
  ])("are counted for %s", async (_name, first, second, together) => {
    await fail(LIMIT, "AK-ALICE", first);
    const outcome = await fail(1, "AK-ALICE", second);
    expect(outcome).toBe(together ? "unauthenticated TooManyFailures" : "unauthenticated");
  });

  it("are counted for a key over all sources, also where a client on a trusted machine names its own address", async () => {
    const outcomes = [];
    for (let n = 0; n < LIMIT * 4; n++) outcomes.push(await fail(1, "AK-ALICE", `198.51.100.${n}`));
    expect(new Set(outcomes)).toEqual(new Set(["unauthenticated"]));
    expect(await fail(1, "AK-ALICE", "203.0.113.9")).toBe("unauthenticated TooManyFailures");
    expect(await fail(1, "AK-BOB", "203.0.113.9")).toBe("unauthenticated");
    expect(await alice()).toBe("alice");
  });

  it("are forgotten with time, evenly", async () => {
    await fail(LIMIT * 5);
    opened.clock.now += 3_000;
    expect(await fail(1)).toBe("unauthenticated");
    expect(await fail(1)).toBe("unauthenticated TooManyFailures");
    opened.clock.now += 60_000;
    expect(await fail(LIMIT)).toBe("unauthenticated");
    // A clock set back adds nothing.
    opened.clock.now += 60_000;
    await fail(1);
    opened.clock.now -= 3_600_000;
    expect(await fail(1)).toBe("unauthenticated");
  });

  it("end in their time, whatever is done to the clock of the machine", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const identities = openIdentities({
      directory: opened.directory,
      cache: CACHE,
      secretKey: SECRET_KEY,
      region: "us-east-1",
      loginDuration: 1_000,
      loginMaxDuration: 1_000,
      maxFailures: { count: 1, intervalMs: 60_000 },
      onLostSessions: () => {},
    });
    const wrong = () => outcomeOf(() => identities.withAccessKey("AK-ALICE", "wrong", HERE));
    await wrong();
    vi.setSystemTime(Date.now() + 86_400_000);
    expect(await wrong()).toBe("unauthenticated TooManyFailures");
    vi.setSystemTime(Date.now() - 2 * 86_400_000);
    const monotonic = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => monotonic() + 60_000);
    expect(await wrong()).toBe("unauthenticated");
    await identities.close();
  });

  it("ask the store no more for a key it does not have, until the key is there", async () => {
    expect(await fail(LIMIT + 5, "AK-NEW")).toBe("unauthenticated TooManyFailures");
    // Up to the limit each attempt asks, so that a key made elsewhere is found at once.
    expect(opened.reads).toHaveLength(LIMIT);
    await addKey(opened.directory, "alice", "AK-NEW");
    expect(await attempt("AK-NEW", "secret of AK-NEW")).toBe("alice");
  });

  it("keep a bounded table: what failed longest ago is forgotten first", () => {
    const failures = new FailedAttempts({ count: 1, intervalMs: 60_000 }, () => 0);
    failures.count("first", "here");
    expect(failures.isOver("first", "here")).toBe(true);
    for (let key = 0; key < 10_000; key++) failures.count(`${key}`, "here");
    expect(failures.isOver("9999", "here")).toBe(true);
    expect(failures.isOver("first", "here")).toBe(false);
  });
});

it("failures that another process counted count here too, and are not told on", () => {
  const told: string[] = [];
  const listeners: ((key: string) => void)[] = [];
  const limit = { count: 3, intervalMs: 60_000 };
  const other = new FailedAttempts(limit, () => 0, {
    tell: (key) => listeners.forEach((listener) => void listener(key)),
    onTold: () => {},
  });
  const here = new FailedAttempts(limit, () => 0, {
    tell: (key) => told.push(key),
    onTold: (listener) => listeners.push(listener),
  });
  for (let failure = 0; failure < 3; failure++) other.count("AKIAJ", "10.0.0.1");
  expect([here.isOver("AKIAJ", "10.0.0.1"), here.isOver("AKIAJ", "10.0.0.2")]).toEqual([true, false]);
  expect(told).toEqual([]);
  here.count("AKIAJ", "10.0.0.1");
  // One for the key and its source, one for the key.
  expect(told.length).toBe(2);
});
