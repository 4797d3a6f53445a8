/** AssumeRoleWithWebIdentity: who gets a key for whom, and who gets none (spec/sign-in §7). */

import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { newKey, TestIssuer } from "../../identity/oidc/issuer.ts";
import { roleOf, startSts } from "./kit.ts";

const bed = await closedAfterAll(startSts());

const form = (token: string, more: Readonly<Record<string, string | undefined>> = {}) => ({
  Action: "AssumeRoleWithWebIdentity",
  Version: "2011-06-15",
  RoleArn: roleOf("alice"),
  RoleSessionName: "session-1",
  WebIdentityToken: token,
  ...more,
});
const people = (claims = {}) => bed.people.token({ sub: "alice", ...claims });
const forge = (claims = {}) => bed.forge.token({ sub: "repo:team/data", ref: "main", ...claims });
const asJob = { RoleArn: roleOf("job") };

/** A key for a token of alice. */
async function issuedKey(): Promise<readonly [id: string, secret: string]> {
  const answer = await bed.call(form(await people()));
  return [answer.element("AccessKeyId"), answer.element("SecretAccessKey")];
}

/** The status with which the management API answers a key. */
async function statusOf(id: string, secret: string): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
  return (await fetch(`${bed.authorizer.userUrl}/api/v1/user`, { headers: { authorization } })).status;
}

describe("a token of an issuer that may name users", () => {
  it.each(["/sts", "/sts/"])("is exchanged at %s for a key that works and expires", async (path) => {
    const before = Math.floor(Date.now() / 1_000);
    const answer = await bed.call(form(await people()), path);
    expect(answer.status).toBe(200);
    const id = answer.element("AccessKeyId");
    expect(id).toMatch(/^ASIA/);
    const expires = Date.parse(answer.element("Expiration")) / 1_000;
    expect(expires).toBeGreaterThanOrEqual(before + 3_600);
    expect(expires).toBeLessThanOrEqual(before + 3_660);
    const basic = Buffer.from(`${id}:${answer.element("SecretAccessKey")}`).toString("base64");
    const user = await fetch(`${bed.authorizer.userUrl}/api/v1/user`, {
      headers: { authorization: `Basic ${basic}` },
    });
    expect(await user.json()).toMatchObject({ user: { id: "alice" } });
    expect((await bed.authorizer.directory.credentials.list("alice", { amount: 100 })).results).toEqual([]);
    expect((await bed.authorizer.directory.credentials.getWithSecret(id)).expires_at).toBe(expires);
  });

  it.each(["the API", "documents", "an identity provider"])(
    "gives a key that is over for good when %s makes its user inactive",
    async (by) => {
      const { users, batches, provisioning, credentials } = bed.authorizer.directory;
      const change: Readonly<Record<string, (inactive: boolean) => Promise<unknown>>> = {
        "the API": (inactive) => users.update("alice", { inactive }),
        documents: (inactive) =>
          batches.apply([{ op: "put_user", user: { username: "alice", inactive } }], { managed: false }),
        "an identity provider": async (inactive) => {
          const { id } = (await provisioning(() => false).findUser({ username: "alice" }))!;
          return provisioning(() => false).changeUser(id, (user) => ({ ...user, inactive }));
        },
      };
      const key = { access_key_id: `OF-ALICE-${by}`, secret_access_key: "a secret of alice" };
      await credentials.create("alice", { ...key, expires_in: 3_600 });
      const issued = await issuedKey();
      expect(await statusOf(...issued)).toBe(200);
      await change[by]?.(true);
      expect(await statusOf(...issued)).toBe(401);
      await change[by]?.(false);
      expect(await statusOf(...issued)).toBe(401);
      // What somebody gave, and lists show, applies again.
      expect(await statusOf(key.access_key_id, key.secret_access_key)).toBe(200);
      expect((await bed.call(form(await people()))).status).toBe(200);
    },
  );

  it("gives a key that is over when an administrator ends the sessions of its user", async () => {
    const { sessions, credentials } = bed.authorizer.directory;
    const key = { access_key_id: "OF-ALICE-ALWAYS", secret_access_key: "a secret of alice" };
    await credentials.create("alice", { ...key, expires_in: 3_600 });
    const issued = await issuedKey();
    expect(await statusOf(...issued)).toBe(200);
    await sessions.end("alice");
    expect(await statusOf(...issued)).toBe(401);
    // It is no session, and lists show it.
    expect(await statusOf(key.access_key_id, key.secret_access_key)).toBe(200);
    expect((await bed.call(form(await people()))).status).toBe(200);
  });

  it("gives a key for as long as it is asked to, within bounds", async () => {
    for (const [asked, status] of [
      ["900", 200],
      ["43200", 200],
      ["899", 400],
      ["43201", 400],
      ["1h", 400],
      ["-900", 400],
      ["9e2", 400],
    ] as const) {
      const before = Math.floor(Date.now() / 1_000);
      const answer = await bed.call(form(await people(), { DurationSeconds: asked }));
      expect(answer.status, asked).toBe(status);
      if (status === 200)
        expect(Date.parse(answer.element("Expiration")) / 1_000 - before).toBeGreaterThanOrEqual(
          Number(asked),
        );
      else expect(answer.element("Code")).toBe("ValidationError");
    }
  });

  it("gives none for another user", async () => {
    const answer = await bed.call(form(await people(), { RoleArn: roleOf("boss") }));
    expect([answer.status, answer.element("Code")]).toEqual([403, "AccessDenied"]);
  });

  it("gives none of an administrator who takes the name that it says", async () => {
    const { users, groups } = bed.authorizer.directory;
    await users.create({ username: "eve" });
    const { memberships } = users;
    users.memberships = async (...asked) => {
      const found = await memberships(...asked);
      users.memberships = memberships;
      await users.delete("eve");
      await users.create({ username: "eve" });
      await groups.addMember("Admins", "eve");
      return found;
    };
    const answer = await bed.call(form(await people({ sub: "eve" }), { RoleArn: roleOf("eve") }));
    expect([answer.status, answer.element("Code")]).toEqual([403, "AccessDenied"]);
  });
});

describe("a token of another issuer", () => {
  it("is exchanged where an entry has its exact claims", async () => {
    expect((await bed.call(form(await forge(), asJob))).status).toBe(200);
  });

  it.each([
    ["another claim", { ref: "feature" }],
    ["a claim that is missing", { ref: undefined }],
    ["a claim that is a list", { ref: ["main"] }],
    ["another subject", { sub: "repo:other/data" }],
  ])("gives nothing with %s", async (_, claims) => {
    const answer = await bed.call(form(await forge(claims), asJob));
    expect([answer.status, answer.element("Code")]).toEqual([403, "AccessDenied"]);
  });

  it("gives nothing for a user whom it names, without an entry", async () => {
    for (const user of ["alice", "boss", "repo:team/data"]) {
      const answer = await bed.call(form(await forge({ sub: user }), { RoleArn: roleOf(user) }));
      expect([answer.status, answer.element("Code")], user).toEqual([403, "AccessDenied"]);
    }
  });
});

describe("a token that does not hold", () => {
  it.each<[string, () => Promise<string>]>([
    ["that is none", async () => "x"],
    ["of this service", () => loginToken()],
  ])("is refused: %s", async (_, make) => {
    const answer = await bed.call(form(await make()));
    expect([answer.status, answer.element("Code")]).toEqual([400, "InvalidIdentityToken"]);
  });

  async function loginToken(): Promise<string> {
    const key = await bed.authorizer.directory.credentials.create("alice");
    const answer = await fetch(`${bed.authorizer.userUrl}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(key),
    });
    await bed.authorizer.directory.credentials.delete("alice", key.access_key_id);
    return ((await answer.json()) as { token: string }).token;
  }
});

describe("a call", () => {
  it.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ["with a policy", { Policy: "{}" }, "ValidationError"],
    ["with an empty policy", { Policy: "" }, "ValidationError"],
    [
      "with policies",
      { "PolicyArns.member.1.arn": "arn:aws:iam::aws:policy/ReadOnlyAccess" },
      "ValidationError",
    ],
    ["with a parameter that nobody knows", { Tags: "x" }, "ValidationError"],
    ["of another action", { Action: "AssumeRole" }, "InvalidAction"],
    ["of another version", { Version: "2012-01-01" }, "InvalidAction"],
    ["without a role", { RoleArn: undefined }, "MissingParameter"],
    ["without a token", { WebIdentityToken: undefined }, "MissingParameter"],
    ["without a session name", { RoleSessionName: undefined }, "MissingParameter"],
    ["with an odd session name", { RoleSessionName: "a b" }, "ValidationError"],
    ["for a role of AWS", { RoleArn: "arn:aws:iam::123456789012:role/x" }, "ValidationError"],
    ["for a role of another partition", { RoleArn: "arn:lakefs:auth:::user/alice" }, "ValidationError"],
    ["for no user", { RoleArn: roleOf("") }, "ValidationError"],
    ["for a pattern", { RoleArn: roleOf("*") }, "AccessDenied"],
  ])("%s is refused", async (_, more, code) => {
    const answer = await bed.call(form(await people(), more));
    expect(answer.element("Code")).toBe(code);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.element("SecretAccessKey")).toBe("");
  });

  it("with a parameter twice is refused", async () => {
    const token = await people();
    const body = `${new URLSearchParams(form(token) as Record<string, string>)}&RoleArn=${roleOf("boss")}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(`${bed.authorizer.userUrl}/sts`, { method: "POST", body, headers });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("<Code>ValidationError"),
    ]);
  });

  it("is bounded, and answers nothing in clear that was sent", async () => {
    const answer = await bed.call(form("x".repeat(70_000)));
    expect(answer.status).toBe(413);
    const odd = await bed.call(form("<x>&", { RoleArn: "<arn>" }));
    expect(odd.text).not.toContain("<arn>");
  });

  it("gives the same refusal for who is missing, inactive or somebody else", async () => {
    await bed.authorizer.directory.users.create({ username: "asleep", inactive: true });
    const texts = await Promise.all(
      ["asleep", "missing"].map(async (user) => {
        const answer = await bed.call(form(await people({ sub: user }), { RoleArn: roleOf(user) }));
        return [answer.status, answer.element("Code"), answer.element("Message")];
      }),
    );
    const other = await bed.call(form(await people(), { RoleArn: roleOf("boss") }));
    expect(texts[0]).toEqual([other.status, other.element("Code"), other.element("Message")]);
    expect(texts[1]).toEqual(texts[0]);
  });
});

describe("the service", () => {
  it("is not there unless it is enabled", async () => {
    const off = await closedAfterAll(startSts({ "authorizer.sts.enabled": false }));
    expect((await fetch(`${off.authorizer.userUrl}/sts`, { method: "POST" })).status).toBe(404);
  });

  it("writes who got a key by which issuer, and who got none; never a token or a secret", async () => {
    const token = await people();
    const answer = await bed.call(form(token, { RoleSessionName: "in-the-audit-log" }));
    await bed.call(form(token, { RoleArn: roleOf("boss") }));
    // Records are written a moment after the answer; those of other tests stand before.
    const isComplete = () => {
      const all = bed.audit();
      const first = all.findIndex(({ session }) => session === "in-the-audit-log");
      const isRefusal = (one: (typeof all)[number]) =>
        one.event === "authentication_failed" && one.user === "boss";
      return first >= 0 && all.slice(first).some(isRefusal);
    };
    await expect.poll(isComplete).toBe(true);
    const events = bed.audit();
    const text = JSON.stringify(events);
    expect(text).not.toContain(token);
    expect(text).not.toContain(answer.element("SecretAccessKey"));
    expect(text).not.toContain(answer.element("SessionToken"));
    expect(events.findLast(({ event }) => event === "write")).toMatchObject({
      actor: "alice",
      how: "web_identity",
      issuer: "people",
      session: "in-the-audit-log",
      source_ip: "127.0.0.1",
      after: { access_key_id: answer.element("AccessKeyId") },
    });
    expect(events.findLast(({ event }) => event === "authentication_failed")).toMatchObject({
      how: "web_identity",
      issuer: "people",
      user: "boss",
    });
  });

  it("ends no session when a key expires, and gives no more than 100 at once", async () => {
    const { directory } = bed.authorizer;
    await directory.users.create({ username: "many" });
    const before = await directory.sessions.get("many");
    const token = await people({ sub: "many" });
    const call = () => bed.call(form(token, { RoleArn: roleOf("many") }));
    for (let count = 0; count < 100; count++) expect((await call()).status).toBe(200);
    const refused = await call();
    expect([refused.status, refused.element("Code")]).toEqual([400, "LimitExceeded"]);
    expect((await directory.sessions.get("many")).since).toBe(before.since);
  });
});

describe("an issuer that nobody trusts", () => {
  it("is not asked for its keys", async () => {
    const stranger = await TestIssuer.start(await newKey("k"));
    await bed.call(form(await stranger.token({ sub: "alice" })));
    expect(stranger.requests).toEqual([]);
    await stranger.stop();
  });
});
