/** Invitations and mails with which people set their passwords (spec/sign-in §6). */

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Management, startManagement } from "../api/management/kit.ts";
import { type MailServer, startServer, stopServers, tokenOf } from "../mail/mail-server.ts";

const PASSWORD = "correct horse battery";
const NEXT = "staple horse correct";

let api: Management;
let mails: MailServer;
beforeAll(async () => {
  mails = await startServer();
  api = await startManagement({
    "email.smtp_host": "127.0.0.1",
    "email.smtp_port": mails.port,
    "email.sender": "data@example.com",
    "email.limit_every_duration": "0s",
    "authorizer.passwords.enabled": true,
    "authorizer.forward_auth.max_failures": "5/h",
    "authorizer.trusted_proxies": ["127.0.0.1"],
    "auth.cache.ttl": "50ms",
    "auth.cache.jitter": "0s",
  });
});
afterAll(async () => {
  await api?.close();
  await stopServers();
});
afterEach(() => api.authorizer.reset());

let sources = 0;
const newSource = () => ({ "x-forwarded-for": `198.51.100.${++sources}` });

function logIn(name: string, password: string) {
  const body = { access_key_id: name, secret_access_key: password };
  return api.call(undefined, "POST", "/auth/login", { body, headers: newSource() });
}

const page = (target: string, init: RequestInit = {}) => fetch(`${api.authorizer.userUrl}${target}`, init);
const send = (path: string, form: Record<string, string>) =>
  page(path, { method: "POST", body: new URLSearchParams(form), headers: newSource() });

async function nextToken(before: number): Promise<string> {
  await expect.poll(() => mails.mails.length).toBe(before + 1);
  return tokenOf(mails.mails[before]!);
}

async function invited(id: string): Promise<string> {
  const before = mails.mails.length;
  const { status } = await api.call("admin", "POST", "/auth/users", { body: { id, invite_user: true } });
  expect(status).toBe(201);
  return nextToken(before);
}

const ask = (email: string, headers = newSource()) =>
  api.call(undefined, "POST", "/auth/password/forgot", { body: { email }, headers });

/** A user with a password and an address, and the link of a mail that was asked for. */
async function forgetful(name: string): Promise<string> {
  const { directory } = api.authorizer;
  await directory.users.create({ username: name, email: `${name}@example.com` });
  const before = mails.mails.length;
  expect((await ask(`${name}@example.com`)).status).toBe(204);
  return nextToken(before);
}

describe("a link for a new password", () => {
  it.each([
    [
      "ends the sessions of the user",
      (name: string) => api.call("admin", "DELETE", `/auth/users/${name}/sessions`),
    ],
    [
      "deactivates the user, also when the user is active again",
      async (name: string) => {
        const { users } = api.authorizer.directory;
        await users.update(name, { inactive: true });
        return users.update(name, { inactive: false });
      },
    ],
  ])("is over when an administrator %s", async (_, end) => {
    const token = await forgetful("nora");
    await end("nora");
    const set = await send("/auth/reset", { token, password: PASSWORD, repeated: PASSWORD });
    expect(set.status).toBe(404);
    expect((await logIn("nora", PASSWORD)).status).toBe(401);
  });

  it.each([
    ["ends the sessions of the user", "DELETE", "/sessions", undefined],
    ["gives the user another address", "PATCH", "", { email: "right@example.com" }],
  ])("is over when an administrator %s while it is used", async (_, method, path, body) => {
    const token = await forgetful("nora");
    const { passwords } = api.authorizer.directory;
    const { set } = passwords;
    passwords.set = async (...asked) => {
      passwords.set = set;
      const ended = await api.call("admin", method, `/auth/users/nora${path}`, body && { body });
      expect(ended.status).toBeLessThan(300);
      return set(...asked);
    };
    const used = await send("/auth/reset", { token, password: PASSWORD, repeated: PASSWORD });
    expect(used.status).toBe(404);
    expect((await logIn("nora", PASSWORD)).status).toBe(401);
  });
});

describe("an invitation", () => {
  it("is accepted with a password, once", async () => {
    const token = await invited("ann@example.com");
    const opened = await (await page(`/auth/invite?token=${token}`)).text();
    expect(opened).toMatch(/New password[\s\S]*Create my access key/);
    const form = { token, password: PASSWORD, repeated: PASSWORD };
    const set = await send("/auth/invite", form);
    expect([set.status, await set.text()]).toEqual([200, expect.stringContaining("Your password is set")]);
    expect((await logIn("ann@example.com", PASSWORD)).status).toBe(200);
    expect((await send("/auth/invite", { ...form, password: NEXT, repeated: NEXT })).status).toBe(404);
    expect((await logIn("ann@example.com", PASSWORD)).status).toBe(200);
  });

  it("is not used up by a password that may not be, or that was mistyped", async () => {
    const token = await invited("ben@example.com");
    const short = await send("/auth/invite", { token, password: "short", repeated: "short" });
    expect([short.status, await short.text()]).toEqual([400, expect.stringContaining("at least 15")]);
    const other = await send("/auth/invite", { token, password: PASSWORD, repeated: NEXT });
    expect([other.status, await other.text()]).toEqual([400, expect.stringContaining("not the same")]);
    expect((await send("/auth/invite", { token, password: PASSWORD, repeated: PASSWORD })).status).toBe(200);
  });

  it("does not hold once the user has another address or a password, and while the user is inactive", async () => {
    const { directory } = api.authorizer;
    const key = async (token: string) => (await send("/auth/invite", { token })).status;
    const strays = await invited("stray@example.com");
    await directory.users.update("stray@example.com", { email: "right@example.com" });
    expect((await page(`/auth/invite?token=${strays}`)).status).toBe(410);
    expect(await key(strays)).toBe(404);
    const left = await invited("left@example.com");
    await directory.users.update("left@example.com", { inactive: true });
    expect(await key(left)).toBe(404);
    const known = await invited("known@example.com");
    const before = mails.mails.length;
    await ask("known@example.com");
    const reset = await nextToken(before);
    await send("/auth/reset", { token: reset, password: PASSWORD, repeated: PASSWORD });
    const form = { token: known, password: NEXT, repeated: NEXT };
    expect((await send("/auth/invite", form)).status).toBe(404);
    expect((await logIn("known@example.com", PASSWORD)).status).toBe(200);
  });

  it("does nothing as a link for a new password, and the other way round", async () => {
    const invitation = await invited("cem@example.com");
    const reset = await forgetful("dora");
    for (const [path, token] of [
      ["/auth/reset", invitation],
      ["/auth/invite", reset],
    ] as const) {
      expect((await page(`${path}?token=${token}`)).status).toBe(404);
      expect((await send(path, { token, password: PASSWORD, repeated: PASSWORD })).status).toBe(404);
    }
    expect((await send("/auth/invite", { token: reset })).status).toBe(404);
  });
});

describe("a mail for a new password", () => {
  it("sets it once, ends all sessions, and uses nothing up when its link is opened", async () => {
    const token = await forgetful("erik");
    for (let times = 0; times < 2; times++)
      expect((await page(`/auth/reset?token=${token}`)).status).toBe(200);
    const form = { token, password: PASSWORD, repeated: PASSWORD };
    expect((await send("/auth/reset", form)).status).toBe(200);
    const { json } = await logIn("erik", PASSWORD);
    const again = await send("/auth/reset", { ...form, password: NEXT, repeated: NEXT });
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining("already used")]);
    const before = mails.mails.length;
    await ask("erik@example.com");
    const second = await nextToken(before);
    await send("/auth/reset", { token: second, password: NEXT, repeated: NEXT });
    expect((await api.call({ token: json.token }, "GET", "/user")).status).toBe(401);
    expect((await logIn("erik", NEXT)).status).toBe(200);
  });

  it("takes back the ones before it once a password was set, and does not work for a changed address", async () => {
    const first = await forgetful("fay");
    const before = mails.mails.length;
    await ask("fay@example.com");
    const second = await nextToken(before);
    await send("/auth/reset", { token: second, password: PASSWORD, repeated: PASSWORD });
    expect((await page(`/auth/reset?token=${first}`)).status).toBe(410);
    const third = await forgetful("gil");
    await api.authorizer.directory.users.update("gil", { email: "other@example.com" });
    expect((await page(`/auth/reset?token=${third}`)).status).toBe(410);
  });

  it("is answered alike whether somebody has the address or not, and goes to stored addresses alone", async () => {
    const { directory } = api.authorizer;
    await directory.users.create({ username: "hal", email: "hal@example.com" });
    await directory.users.create({ username: "scim", email: "scim@example.com", source: "scim" });
    await directory.users.create({ username: "oidc", email: "o@example.com", external_id: "corp:1" });
    await directory.users.create({ username: "gone", email: "gone@example.com" });
    await directory.users.update("gone", { inactive: true });
    const before = mails.mails.length;
    const addresses = [
      "nobody@example.com",
      "scim@example.com",
      "o@example.com",
      "gone@example.com",
      "",
      "x",
    ];
    for (const address of [...addresses, "HAL@example.com"]) {
      const { status, text } = await ask(address);
      expect({ status, text }).toEqual({ status: 204, text: "" });
    }
    await ask("hal@example.com");
    await nextToken(before);
    expect(mails.mails[before]?.to).toEqual(["hal@example.com"]);
  });

  it("comes three times in an hour at most", async () => {
    await forgetful("ida");
    const before = mails.mails.length;
    for (let times = 0; times < 4; times++) expect((await ask("ida@example.com")).status).toBe(204);
    await expect.poll(() => mails.mails.length).toBe(before + 2);
    const body = undefined;
    const { status, json } = await api.call("admin", "POST", "/auth/users/ida/password/reset", { body });
    expect([status, json.message]).toEqual([400, expect.stringContaining("three mails")]);
    expect(mails.mails.length).toBe(before + 2);
  });

  it("is refused to a source that asks again and again", async () => {
    const source = newSource();
    const statuses: number[] = [];
    for (let times = 0; times < 6; times++)
      statuses.push((await ask(`n${times}@example.com`, source)).status);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429]);
  });

  it("is sent by an administrator, who gets no link, and says why there is none", async () => {
    const { directory } = api.authorizer;
    await directory.users.create({ username: "jon", email: "jon@example.com" });
    const before = mails.mails.length;
    const answer = await api.call("admin", "POST", "/auth/users/jon/password/reset");
    expect([answer.status, answer.text]).toEqual([204, ""]);
    await nextToken(before);
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({ event: "write", actor: "admin", operation: "resetPassword", user: "jon" });
    const none = await api.call("admin", "POST", "/auth/users/plain/password/reset");
    expect([none.status, none.json.message]).toEqual([400, expect.stringContaining("no e-mail")]);
    expect((await api.call("viewer", "POST", "/auth/users/jon/password/reset")).status).toBe(401);
  });

  it("is no way to a password for a user whom a provider keeps", async () => {
    const token = await invited("kim@example.com");
    const { directory } = api.authorizer;
    const { userId } = await directory.sessions.get("kim@example.com");
    const { provisioning } = directory;
    await provisioning(() => false).changeUser(userId, (user) => ({ ...user, external_id: "corp:kim" }));
    const refused = await send("/auth/invite", { token, password: PASSWORD, repeated: PASSWORD });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("identity provider"),
    ]);
  });

  it("leaves no token and no password in a record", async () => {
    const token = await forgetful("lea");
    await send("/auth/reset", { token, password: PASSWORD, repeated: PASSWORD });
    await send("/auth/reset", { token, password: PASSWORD, repeated: PASSWORD });
    const text = JSON.stringify(api.audit());
    expect(text).not.toContain(token);
    expect(text).not.toContain(PASSWORD);
  });
});
