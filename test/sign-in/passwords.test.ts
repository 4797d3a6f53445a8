/** Signing in with passwords that the service keeps (spec/sign-in §6, spec/sign-in §8). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../src/identity/passwords/password-hash.ts";
import { KEYS, startManagement } from "../api/management/kit.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PASSWORD = "correct horse battery";
const NEXT = "staple horse correct";
const folder = temporaryFolder();
const list = join(folder, "known.txt");
writeFileSync(list, "Trustno1Trustno1\nanother known password\n");

const api = await closedAfterAll(
  startManagement({
    "authorizer.passwords.enabled": true,
    "authorizer.passwords.breached_list_file": list,
    "authorizer.forward_auth.max_failures": "3/h",
    "authorizer.trusted_proxies": ["127.0.0.1"],
    "auth.cache.ttl": "50ms",
    "auth.cache.jitter": "0s",
  }),
);
const { directory } = api.authorizer;
const hash = await hashPassword(PASSWORD);
let sources = 0;
/** An address that nobody has used. */
const newSource = () => `198.51.100.${++sources}`;

async function give(username: string): Promise<void> {
  const { userId } = await directory.sessions.get(username);
  await directory.passwords.set({ username, userId }, hash);
}

function logIn(name: string, password: string, source = newSource()) {
  const body = { access_key_id: name, secret_access_key: password };
  return api.call(undefined, "POST", "/auth/login", { body, headers: { "x-forwarded-for": source } });
}

const whoIs = async (token: string) => {
  const { status, json } = await api.call({ token }, "GET", "/user");
  return status === 200 ? (json.user.id as string) : status;
};

afterEach(() => api.authorizer.reset());

describe("a password of the directory", () => {
  it("signs its user in", async () => {
    await give("viewer");
    const { status, json } = await logIn("viewer", PASSWORD);
    expect(status).toBe(200);
    expect(await whoIs(json.token)).toBe("viewer");
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({ event: "login", actor: "viewer", how: "password", issuer: "password" });
  });

  it("gives no token where it is changed between the comparison and the token", async () => {
    await give("viewer");
    const { userId } = await directory.sessions.get("viewer");
    const next = await hashPassword(NEXT);
    const find = directory.passwords.find;
    let times = 0;
    directory.passwords.find = async (username) => {
      const found = await find(username);
      if (++times === 2) await directory.passwords.set({ username, userId }, next);
      return found;
    };
    const { status } = await logIn("viewer", PASSWORD);
    directory.passwords.find = find;
    expect([times, status]).toEqual([2, 401]);
    expect((await logIn("viewer", NEXT)).status).toBe(200);
  });

  it("is refused in the same words where it is wrong, its user has none, or there is no such user", async () => {
    await give("viewer");
    for (const [name, password] of [
      ["viewer", "wrong"],
      ["viewer", ""],
      ["plain", PASSWORD],
      ["nobody", PASSWORD],
      ["..", PASSWORD],
      ["viewer", "x".repeat(2_000)],
    ] as const) {
      const { status, json } = await logIn(name, password);
      expect({ name, status, json }).toEqual({
        name,
        status: 401,
        json: { message: "error authenticating request" },
      });
    }
  });

  it("takes as long to refuse for a name that nobody has as for one that somebody has", async () => {
    await give("viewer");
    const took = async (name: string) => {
      const begun = process.cpuUsage();
      await logIn(name, "not the password");
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    await took("nobody");
    const known = Math.min(await took("viewer"), await took("viewer"));
    const unknown = Math.min(await took("nobody"), await took("nobody-else"));
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  it("reads the same in every spelling of Unicode", async () => {
    const composed = "p\u00e9nz\u00fcgy for everybody";
    const { userId } = await directory.sessions.get("viewer");
    await directory.passwords.set({ username: "viewer", userId }, await hashPassword(composed));
    expect((await logIn("viewer", composed.normalize("NFD"))).status).toBe(200);
  });

  it("is in no answer and no record", async () => {
    await give("viewer");
    const answers = [await logIn("viewer", PASSWORD), await logIn("viewer", `${PASSWORD} wrong`)];
    const user = await api.call("admin", "GET", "/auth/users/viewer");
    const text = JSON.stringify([answers.map((one) => one.text), user.text, api.audit()]);
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain("argon2");
    expect(JSON.stringify(api.audit())).not.toContain("viewer wrong");
  });

  it("does not sign in for requests with Basic, at the management API and at forward-auth", async () => {
    await give("viewer");
    const basic = `Basic ${Buffer.from(`viewer:${PASSWORD}`).toString("base64")}`;
    const answer = await api.call(undefined, "GET", "/user", { headers: { authorization: basic } });
    expect(answer.status).toBe(401);
  });

  it("does not count once an identity provider is linked to its user", async () => {
    await give("viewer");
    await directory
      .provisioning(() => false)
      .signIn({
        issuer: "corp",
        externalId: "corp:s-1",
        username: "viewer",
        groups: [],
        initialGroups: [],
        isNamed: () => true,
        friendlyName: undefined,
        mayCreate: false,
        byName: true,
      });
    expect((await logIn("viewer", PASSWORD)).status).toBe(401);
  });

  it("does not come back with a user who is deleted and made again", async () => {
    await give("viewer");
    await directory.users.delete("viewer");
    await directory.users.create({ username: "viewer" });
    expect((await logIn("viewer", PASSWORD)).status).toBe(401);
  });

  it("does not sign in an inactive user, and does again once the user is active", async () => {
    await give("viewer");
    const { json } = await logIn("viewer", PASSWORD);
    await directory.users.update("viewer", { inactive: true });
    expect((await logIn("viewer", PASSWORD)).status).toBe(401);
    expect(await whoIs(json.token)).toBe(401);
    await directory.users.update("viewer", { inactive: false });
    expect((await logIn("viewer", PASSWORD)).status).toBe(200);
  });
});

describe("the end of all sessions of a user", () => {
  it("is for administrators, and leaves the password and the access keys", async () => {
    await give("viewer");
    const { json } = await logIn("viewer", PASSWORD);
    expect((await api.call("viewer", "DELETE", "/auth/users/plain/sessions")).status).toBe(401);
    expect(await whoIs(json.token)).toBe("viewer");
    expect((await api.call("admin", "DELETE", "/auth/users/viewer/sessions")).status).toBe(204);
    expect(await whoIs(json.token)).toBe(401);
    expect((await logIn("viewer", PASSWORD)).status).toBe(200);
    expect((await api.call("viewer", "GET", "/user")).status).toBe(200);
    expect((await api.call("admin", "DELETE", "/auth/users/nobody/sessions")).status).toBe(404);
    expect(api.audit().find(({ operation }) => operation === "endSessions")).toMatchObject({
      actor: "admin",
      user: "viewer",
    });
  });
});

describe("the limit of failed attempts", () => {
  it("refuses a name at one source before anything is compared, and a right password from elsewhere never", async () => {
    await give("viewer");
    const source = newSource();
    for (let tries = 0; tries < 3; tries++)
      expect((await logIn("viewer", `guess ${tries}`, source)).status).toBe(401);
    const over = await logIn("viewer", PASSWORD, source);
    expect(over.status).toBe(429);
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await logIn("viewer", PASSWORD)).status).toBe(200);
  });

  it("refuses a source that tries one password with many names", async () => {
    await give("viewer");
    const source = newSource();
    const statuses: number[] = [];
    for (let tries = 0; tries < 14; tries++)
      statuses.push((await logIn(`name-${tries}`, "Summer2026!", source)).status);
    expect(statuses.filter((status) => status === 401).length).toBe(12);
    expect((await logIn("viewer", PASSWORD, source)).status).toBe(429);
  });

  it("does not hold up access keys", async () => {
    const source = newSource();
    for (let tries = 0; tries < 14; tries++) await logIn(`name-${tries}`, "Summer2026!", source);
    const { access_key_id, secret_access_key } = KEYS.viewer;
    expect((await logIn(access_key_id, secret_access_key, source)).status).toBe(200);
  });
});

describe("the change of one's own password", () => {
  async function change(token: string, password: string, new_password: string) {
    const headers = { "x-forwarded-for": newSource() };
    return api.call({ token }, "PUT", "/user/password", { body: { password, new_password }, headers });
  }
  async function tokenOf(name: string): Promise<string> {
    return (await logIn(name, PASSWORD)).json.token;
  }

  it("ends every session and gives a new one", async () => {
    await give("viewer");
    const [here, elsewhere] = [await tokenOf("viewer"), await tokenOf("viewer")];
    const { status, json } = await change(here, PASSWORD, NEXT);
    expect(status).toBe(200);
    expect(await whoIs(json.token)).toBe("viewer");
    expect([await whoIs(here), await whoIs(elsewhere)]).toEqual([401, 401]);
    expect((await logIn("viewer", PASSWORD)).status).toBe(401);
    expect((await logIn("viewer", NEXT)).status).toBe(200);
  });

  it("gives no session where the user's sessions end before the new one begins", async () => {
    await give("viewer");
    const token = await tokenOf("viewer");
    const { passwords } = directory;
    const { set } = passwords;
    passwords.set = async (...asked) => {
      passwords.set = set;
      const begun = await set(...asked);
      expect((await api.call("admin", "DELETE", "/auth/users/viewer/sessions")).status).toBe(204);
      return begun;
    };
    const { status, json } = await change(token, PASSWORD, NEXT);
    expect([status, json.token]).toEqual([401, undefined]);
    expect((await logIn("viewer", NEXT)).status).toBe(200);
  });

  it("asks for the present password, and counts wrong ones", async () => {
    await give("viewer");
    const token = await tokenOf("viewer");
    const headers = { "x-forwarded-for": newSource() };
    const body = { password: "not it", new_password: NEXT };
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries++)
      statuses.push((await api.call({ token }, "PUT", "/user/password", { body, headers })).status);
    expect(statuses).toEqual([403, 403, 403, 429]);
    expect(await whoIs(token)).toBe("viewer");
  });

  it.each([
    ["one that is too short", "short", /at least 15/],
    ["one that is too long", "x".repeat(257), /at most 256/],
    ["one on the list, in any letter case", "ANOTHER known password", /list of known passwords/],
    ["the present one", PASSWORD, /present one/],
    ["one with a control character", `${NEXT}\u0000`, /control/],
  ])("refuses %s, and says so at the field", async (_, next, message) => {
    await give("viewer");
    const { status, json, text } = await change(await tokenOf("viewer"), PASSWORD, next);
    expect({ status, json }).toEqual({ status: 400, json: { message: expect.stringMatching(message) } });
    expect(json.message).toMatch(/^\/new_password: /);
    expect(text).not.toContain(next);
  });

  it("is not the change of a password that a data server writes", async () => {
    await directory.users.update("viewer", { encryptedPassword: Buffer.from(hash).toString("base64") });
    expect((await logIn("viewer", PASSWORD)).status).toBe(401);
  });
});

describe("the queue of hashing", () => {
  it("answers 503 with Retry-After at its end, and the loop is never held", async () => {
    await give("viewer");
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) => logIn("viewer", PASSWORD, `203.0.113.${index % 5}`)),
    );
    delays.disable();
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(60);
    const full = answers.filter(({ status }) => status === 503);
    expect(full.length).toBeGreaterThan(50);
    expect(full.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true);
    // Of 64 hashes in the loop, half of the delays would be as long as one of them.
    expect(delays.percentile(50) / 1e6).toBeLessThan(40);
  });
});
