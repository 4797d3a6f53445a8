import { describe, expect, it } from "vitest";
import type { Identity } from "../../src/identity/identity.ts";
import { endSessionsOf } from "../directory/end-sessions.ts";
import { SECRET_KEY } from "../directory/open-test-directory.ts";
import { openedEach } from "../opened.ts";
import { addKey, CACHE, HERE, openTestIdentities, outcomeOf } from "./test-identities.ts";
import { makeToken, serverClaims } from "./tokens.ts";

const opened = openedEach(() => openTestIdentities());

const login = (name = "ALICE"): Promise<Identity> =>
  Promise.resolve(opened.identities.withAccessKey(`AK-${name}`, `secret of AK-${name}`, HERE));
const tokenOf = async (name = "ALICE"): Promise<string> =>
  (await opened.identities.issueLoginToken(await login(name))).token;
const verify = (token: string, identities = opened.identities) =>
  outcomeOf(() => identities.withLoginToken(token));
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

describe("a login token of ours", () => {
  it("names its user and what it was issued for", async () => {
    const issued = await opened.identities.issueLoginToken(await login());
    const { userId, revision } = await opened.directory.sessions.get("alice");
    const seconds = Math.floor(opened.clock.now / 1_000);
    expect(issued.expiresAt).toBe(seconds + 3_600);
    expect(claimsOf(issued.token)).toEqual({
      aud: "login",
      sub: "alice",
      iat: seconds,
      exp: seconds + 3_600,
      jti: expect.stringMatching(/^[0-9a-z]{26}$/),
      "svc-authorizer": { user_id: userId, access_key_id: "AK-ALICE", revision, since: "" },
    });
    expect(await opened.identities.withLoginToken(issued.token)).toEqual({
      username: "alice",
      userId,
      how: "login_token",
      accessKeyId: "AK-ALICE",
      tokenId: claimsOf(issued.token)["jti"],
      expiresAt: issued.expiresAt,
      since: "",
    });
  });

  it("lives no longer than auth.login_max_duration", async () => {
    const long = opened.open({ loginDuration: 99_000_000 });
    const { token, expiresAt } = await long.issueLoginToken(await login());
    expect(expiresAt).toBe(Math.floor(opened.clock.now / 1_000) + 7_200);
    expect(await verify(token)).toBe("alice");
    long.close();
  });

  it("lives as long as asked, up to auth.login_max_duration", async () => {
    const now = Math.floor(opened.clock.now / 1_000);
    for (const seconds of [1, 60, 7_200]) {
      const { token, expiresAt } = await opened.identities.issueLoginToken(await login(), seconds);
      expect(expiresAt).toBe(now + seconds);
      expect(await verify(token)).toBe("alice");
    }
    for (const seconds of [0, -1, 1.5, Number.NaN, 7_201, Number.POSITIVE_INFINITY]) {
      await expect(opened.identities.issueLoginToken(await login(), seconds)).rejects.toMatchObject({
        code: "invalid_request",
        problems: [{ pointer: "/token_expiration_duration" }],
      });
    }
  });

  it("is verified at once when cached, and not read again", async () => {
    const token = await tokenOf();
    await verify(token);
    opened.reads.length = 0;
    expect(opened.identities.withLoginToken(token)).toMatchObject({ username: "alice" });
    expect(opened.reads).toEqual([]);
  });

  it("ends when it expires, cached or not", async () => {
    const lasting = opened.open({ cache: { ...CACHE, ttl: 10_000_000 } });
    const token = await tokenOf();
    opened.clock.now = (claimsOf(token)["exp"] as number) * 1_000 - 1;
    expect(await verify(token, lasting)).toBe("alice");
    opened.clock.now += 1;
    expect(await verify(token, lasting)).toBe("unauthenticated");
    expect(await verify(token)).toBe("unauthenticated");
    lasting.close();
  });

  it.each<[string, () => Promise<unknown>]>([
    ["its key is deleted", () => opened.directory.credentials.delete("alice", "AK-ALICE")],
    [
      "another key of the user is deleted",
      async () => {
        await addKey(opened.directory, "alice", "AK-OTHER");
        await opened.directory.credentials.delete("alice", "AK-OTHER");
      },
    ],
    ["the user is deleted", () => opened.directory.users.delete("alice")],
    [
      "the user is made again under the same name, with the same key",
      async () => {
        await opened.directory.users.delete("alice");
        await opened.directory.users.create({ username: "alice", creation_date: 1 });
        await addKey(opened.directory, "alice", "AK-ALICE");
      },
    ],
  ])("ends at once when %s, for who has it cached and who has not", async (_name, change) => {
    const token = await tokenOf();
    const other = opened.open();
    expect(await verify(token)).toBe("alice");
    await change();
    expect(await verify(token)).toBe("unauthenticated");
    expect(await verify(token, other)).toBe("unauthenticated");
    other.close();
  });

  it("ends within the cache's time when the change was not heard of", async () => {
    const token = await tokenOf();
    const deaf = opened.open();
    await verify(token, deaf);
    deaf.close();
    await endSessionsOf(opened.directory, "alice");
    expect(await verify(token, deaf)).toBe("alice");
    opened.clock.now += CACHE.ttl;
    expect(await verify(token, deaf)).toBe("unauthenticated");
  });

  it("outlives what concerns others, and updates of its user", async () => {
    const token = await tokenOf();
    await opened.directory.credentials.delete("bob", "AK-BOB");
    await opened.directory.users.update("alice", { friendly_name: "A" });
    await addKey(opened.directory, "alice", "AK-NEXT");
    expect(await verify(token)).toBe("alice");
  });

  it("issued in the millisecond of a deletion holds when it came after it, and ends when it came before", async () => {
    await addKey(opened.directory, "alice", "AK-OTHER");
    await addKey(opened.directory, "alice", "AK-THIRD");
    const before = await tokenOf();
    await opened.directory.credentials.delete("alice", "AK-OTHER");
    const between = await tokenOf();
    await opened.directory.credentials.delete("alice", "AK-THIRD");
    const after = await tokenOf();
    const outcomes = [await verify(before), await verify(between), await verify(after)];
    expect(outcomes).toEqual(["unauthenticated", "unauthenticated", "alice"]);
    expect(claimsOf(before)["iat"]).toBe(claimsOf(after)["iat"]);
  });

  it("is noted when the service ends", async () => {
    await tokenOf();
    await opened.identities.close();
    const { results } = await opened.directory.issuedSessions.list("alice", { amount: 10 });
    expect(results).toHaveLength(1);
  });

  it("is not issued for a user or key that is gone", async () => {
    const [alice, bob] = [await login(), await login("BOB")];
    await opened.directory.credentials.delete("alice", "AK-ALICE");
    await opened.directory.users.delete("bob");
    await opened.directory.users.create({ username: "bob" });
    await addKey(opened.directory, "bob", "AK-BOB");
    for (const identity of [alice, bob]) {
      await expect(opened.identities.issueLoginToken(identity)).rejects.toMatchObject({
        code: "unauthenticated",
      });
    }
  });

  it("issued while its key was being deleted is refused, whichever came first", async () => {
    const identity = await login();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    opened.hooks.beforeAnswer = () => gate;
    // Reads the user before the deletion and signs after it, at a later millisecond.
    const issuing = opened.identities.issueLoginToken(identity);
    await new Promise(setImmediate);
    await opened.directory.credentials.delete("alice", "AK-ALICE");
    opened.clock.now += 5;
    open();
    expect(await verify((await issuing).token)).toBe("unauthenticated");
  });

  it("is not cached when a write overtook its verification", async () => {
    const token = await tokenOf();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    opened.hooks.beforeAnswer = () => gate;
    const early = verify(token);
    while (opened.reads.at(-1) !== "session alice" || opened.reads.length < 3)
      await new Promise(setImmediate);
    await new Promise(setImmediate);
    await endSessionsOf(opened.directory, "alice");
    open();
    await early;
    expect(await verify(token)).toBe("unauthenticated");
  });
});

describe("logging out", () => {
  it("ends the token for good, on every node, and no other token", async () => {
    const [token, second] = [await tokenOf(), await tokenOf()];
    const identity = await opened.identities.withLoginToken(token);
    await verify(second);
    await opened.identities.logout(identity, identity.expiresAt!);
    const other = opened.open();
    for (const node of [opened.identities, other]) {
      expect(await verify(token, node)).toBe("unauthenticated");
      expect(await verify(second, node)).toBe("alice");
    }
    other.close();
  });

  it("lasts as long as the token, also when told less", async () => {
    const token = await tokenOf();
    const identity = await opened.identities.withLoginToken(token);
    await opened.identities.logout(identity, Math.floor(opened.clock.now / 1_000) + 1);
    opened.clock.now += 3_000_000;
    expect(await verify(token)).toBe("unauthenticated");
  });

  it("twice is no error; without a token, or until no date, it is one", async () => {
    const identity = await opened.identities.withLoginToken(await tokenOf());
    await opened.identities.logout(identity, identity.expiresAt!);
    await opened.identities.logout(identity, identity.expiresAt!);
    await expect(opened.identities.logout(await login(), 9e9)).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(opened.identities.logout(identity, Number.NaN)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("ends a token that has no id too, in whatever spelling", async () => {
    const { jti: _, ...claims } = serverClaims("alice", opened.clock.now);
    const token = makeToken({ claims });
    const identity = await opened.identities.withLoginToken(token);
    expect(identity.tokenId).toMatch(/^sha256:/);
    await opened.identities.logout(identity, identity.expiresAt!);
    expect(await verify(token)).toBe("unauthenticated");
    // The last character of an unpadded signature has bits that say nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const respelled = token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) ^ 1];
    expect(await verify(respelled)).toBe("unauthenticated");
  });
});

describe("a login token of a data server", () => {
  const server = (change: Record<string, unknown> = {}): string =>
    makeToken({ claims: { ...serverClaims("alice", opened.clock.now), ...change } });

  it("is taken for the user it names", async () => {
    const { userId } = await opened.directory.sessions.get("alice");
    expect(await opened.identities.withLoginToken(server())).toEqual({
      username: "alice",
      userId,
      how: "login_token",
      tokenId: "id-alice",
      expiresAt: Math.floor(opened.clock.now / 1_000) + 3_600,
      since: "",
    });
    expect(await verify(server({ sub: "nobody" }))).toBe("unauthenticated");
  });

  it("that ends within a second ends then, cached or not", async () => {
    const end = Math.floor(opened.clock.now / 1_000) + 3_600.25;
    const lasting = opened.open({ cache: { ...CACHE, ttl: 10_000_000 } });
    const token = server({ exp: end });
    opened.clock.now = end * 1_000 - 1;
    expect(await verify(token, lasting)).toBe("alice");
    opened.clock.now = end * 1_000;
    expect(await verify(token, lasting)).toBe("unauthenticated");
    expect(await verify(token)).toBe("unauthenticated");
    await lasting.close();
  });

  it("issued to an earlier user of the name is refused, whatever date the user was imported with", async () => {
    const token = server();
    opened.clock.now += 2_000;
    await opened.directory.users.delete("alice");
    await opened.directory.users.create({ username: "alice", creation_date: 1 });
    expect(await verify(token)).toBe("unauthenticated");
    opened.clock.now += 1_000;
    expect(await verify(server())).toBe("alice");
  });

  it("issued before a key was deleted is refused, as is one of the same second", async () => {
    const token = server();
    opened.clock.now += 100;
    await opened.directory.credentials.delete("alice", "AK-ALICE");
    expect(await verify(token)).toBe("unauthenticated");
    opened.clock.now += 1_000;
    expect(await verify(server())).toBe("alice");
  });

  it("older than a user of an earlier version, who has no mark, is refused", async () => {
    await opened.directory.users.create({
      username: "carol",
      creation_date: Math.floor(opened.clock.now / 1_000) + 2,
    });
    opened.clock.now += 1_000;
    expect(await verify(server({ sub: "carol", iat: Math.floor(opened.clock.now / 1_000) }))).toBe(
      "unauthenticated",
    );
  });
});

describe("rotation of the key", () => {
  it("verifies with the previous key and signs with the new one alone", async () => {
    const token = await tokenOf();
    const rotated = opened.open({ secretKey: "n".repeat(40), previousSecretKey: SECRET_KEY });
    const done = opened.open({ secretKey: "n".repeat(40) });
    expect(await verify(token, rotated)).toBe("alice");
    expect(await verify(token, done)).toBe("unauthenticated");
    const { token: next } = await rotated.issueLoginToken(await login());
    expect([await verify(next, done), await verify(next)]).toEqual(["alice", "unauthenticated"]);
    rotated.close();
    done.close();
  });

  it("never verifies with an empty key, and needs one to sign", async () => {
    const none = opened.open({ previousSecretKey: "" });
    expect(await verify(makeToken({ claims: serverClaims("alice", opened.clock.now), key: "" }), none)).toBe(
      "unauthenticated",
    );
    none.close();
    expect(() => opened.open({ secretKey: "" })).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});
