/** Signing in with a real LDAP server, slapd (spec/sign-in §8). */

import { createServer, type Server } from "node:net";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startManagement } from "../api/management/kit.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { freePort } from "../free-port.ts";
import { BASE, group, hasSlapd, person, SERVICE, type Slapd, startSlapd } from "./slapd.ts";

const PASSWORD = "correct horse battery";
const ODD = "é.u (x)\\";
const STARRED = "st*r";

/** A server that takes connections and says nothing, or what a test wants. */
async function serverThatSays(
  say: (bytes: Buffer) => Buffer | undefined,
): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const answer = say(bytes);
      if (answer !== undefined) socket.write(answer);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { port, server };
}

function itemsOf(url: string, more: Record<string, unknown> = {}) {
  return {
    "authorizer.ldap.url": url,
    "authorizer.ldap.title": "Example",
    "authorizer.ldap.bind_dn": SERVICE.dn,
    "authorizer.ldap.bind_password": SERVICE.password,
    "authorizer.ldap.user_base_dn": `ou=people,${BASE}`,
    "authorizer.ldap.group_base_dn": `ou=groups,${BASE}`,
    "authorizer.ldap.assert_groups": ["data-*", "Admin*"],
    "authorizer.ldap.create_users": true,
    "authorizer.ldap.timeout": "1s",
    "authorizer.forward_auth.max_failures": "100/s",
    "auth.cache.ttl": "50ms",
    "auth.cache.jitter": "0s",
    ...more,
  };
}

describe.skipIf(!hasSlapd)("an account of slapd", async () => {
  const entries = [
    person("alice", PASSWORD),
    person("bob", "bob's password of slapd"),
    person("viewer", PASSWORD),
    person("admin", PASSWORD),
    person(ODD, PASSWORD),
    person(STARRED, PASSWORD),
    person("twin", PASSWORD),
    person("twin", PASSWORD)
      .replace("dn: cn=", "dn: description=second+cn=")
      .replace("\nsn:", "\ndescription: second\nsn:"),
    person("AKIAJAAAAAAAAAAAAAAQ", PASSWORD),
    group("data-a", "alice", "bob"),
    group("Admins", "alice"),
    group("secret-b", "alice"),
    group("not-here", "alice"),
  ];
  const slapd: Slapd = hasSlapd ? await startSlapd(entries.join("")) : (undefined as never);
  const url = `ldap://127.0.0.1:${hasSlapd ? slapd.port : 1}`;
  const api = hasSlapd ? await closedAfterAll(startManagement(itemsOf(url))) : (undefined as never);
  afterAll(() => slapd?.close());
  afterEach(() => api.authorizer.reset());

  const { directory } = hasSlapd ? api.authorizer : (undefined as never);

  function logIn(name: string, password: string, at = api) {
    return at.call(undefined, "POST", "/auth/login", {
      body: { access_key_id: name, secret_access_key: password },
    });
  }
  async function groupsOf(username: string): Promise<readonly string[]> {
    return (await directory.users.groups(username, { amount: 100 })).results.map(({ name }) => name);
  }
  const REFUSED = { status: 401, json: { message: "error authenticating request" } };

  it("makes the user with its id, and signs in", async () => {
    const { status, json } = await logIn("alice", PASSWORD);
    expect(status).toBe(200);
    expect((await api.call({ token: json.token }, "GET", "/user")).json.user.id).toBe("alice");
    expect(await directory.users.get("alice")).toMatchObject({
      source: "ldap",
      external_id: expect.stringMatching(/^ldap:[0-9a-f-]{36}$/),
    });
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({ event: "login", actor: "alice", how: "password", issuer: "ldap", created: true });
  });

  it("has the name of the entry, however it was typed", async () => {
    const { json } = await logIn("  ALICE ", PASSWORD);
    expect((await api.call({ token: json.token }, "GET", "/user")).json.user.id).toBe("alice");
  });

  it("takes names with every character, and says where one can be no user name here", async () => {
    const { json } = await logIn(ODD, PASSWORD);
    expect((await api.call({ token: json.token }, "GET", "/user")).json.user.id).toBe(ODD);
    const { status, json: refused } = await logIn(STARRED, PASSWORD);
    expect([status, refused.message]).toEqual([401, expect.stringContaining("does not say who you are")]);
  });

  it.each([
    ["an empty password, for which servers bind nobody", "alice", ""],
    ["a wrong password", "alice", `${PASSWORD} `],
    ["a name that nobody has", "nobody", PASSWORD],
    ["a pattern as a name", "*", PASSWORD],
    ["a part of a filter as a name", "alice)(objectClass=*", PASSWORD],
    ["a filter around a name", "alice))(|(uid=*", PASSWORD],
    ["the DN of a person as a name", `uid=alice,ou=people,${BASE}`, PASSWORD],
    ["a name that two entries have", "twin", PASSWORD],
    ["a name with NUL", "alice\u0000", PASSWORD],
    ["the account of the service, which is no person", "service", SERVICE.password],
    ["a name in the form of an access key", "AKIAJAAAAAAAAAAAAAAQ", PASSWORD],
  ])("is not %s", async (_, name, password) => {
    const { status, json } = await logIn(name, password);
    expect({ status, json }).toEqual(REFUSED);
  });

  it("gives groups within assert_groups that exist here, and a protected one by no pattern", async () => {
    for (const name of ["data-a", "secret-b", "by-hand"]) await directory.groups.create({ name });
    await logIn("alice", PASSWORD);
    expect(await groupsOf("alice")).toEqual(["data-a"]);
    await directory.groups.addMember("by-hand", "alice");
    await logIn("alice", PASSWORD);
    expect(await groupsOf("alice")).toEqual(["by-hand", "data-a"]);
  });

  it("is refused with a text that says what to do where a user of the name is somebody else", async () => {
    const { status, json } = await logIn("viewer", PASSWORD);
    expect([status, json.message]).toEqual([
      401,
      "A user here has your name (viewer) and is not linked to Example. Ask an administrator of this service to link or rename it.",
    ]);
    await expect
      .poll(() => api.audit().at(-1))
      .toMatchObject({
        event: "authentication_failed",
        issuer: "ldap",
        reason: "name_taken",
        user: "viewer",
      });
  });

  it("is refused where the user is inactive, and signs in again once it is active", async () => {
    await logIn("bob", "bob's password of slapd");
    await directory.users.update("bob", { inactive: true });
    const { status, json } = await logIn("bob", "bob's password of slapd");
    expect([status, json.message]).toEqual([401, expect.stringContaining("deactivated")]);
    await directory.users.update("bob", { inactive: false });
    expect((await logIn("bob", "bob's password of slapd")).status).toBe(200);
  });

  it("is the same user after that was renamed here, and another one after it was deleted", async () => {
    await logIn("bob", "bob's password of slapd");
    const before = (await directory.sessions.get("bob")).userId;
    await directory.users.delete("bob");
    await logIn("bob", "bob's password of slapd");
    expect((await directory.sessions.get("bob")).userId).not.toBe(before);
  });

  it("is in no record with its password", async () => {
    await logIn("alice", PASSWORD);
    await logIn("alice", "a wrong password of alice");
    await logIn("my password in the field of the name", "x");
    const text = JSON.stringify(api.audit());
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toMatch(/wrong password of alice|my password/);
  });

  describe("with other settings", () => {
    async function withItems(url: string, more: Record<string, unknown>) {
      const other = await startManagement(itemsOf(url, more));
      try {
        return await logIn("alice", PASSWORD, other);
      } finally {
        await other.close();
      }
    }

    it("is refused without create_users, with a text that names the missing user", async () => {
      const { status, json } = await withItems(url, { "authorizer.ldap.create_users": false });
      expect([status, json.message]).toEqual([
        401,
        "Your account (alice) exists at Example, but not here. Ask an administrator of this service to create your user.",
      ]);
    });

    it("comes over StartTLS and ldaps, with a certificate that is checked", async () => {
      const ca = { "authorizer.ldap.ca_file": slapd.caFile };
      const startTls = { "authorizer.ldap.start_tls": true };
      const ldaps = `ldaps://127.0.0.1:${slapd.tlsPort}`;
      expect((await withItems(url, { ...startTls, ...ca })).status).toBe(200);
      expect((await withItems(ldaps, ca)).status).toBe(200);
      // No authority, and another host than the certificate is for.
      expect((await withItems(url, startTls)).status).toBe(503);
      expect((await withItems(ldaps, {})).status).toBe(503);
      const localhost = { ...startTls, ...ca };
      expect((await withItems(url.replace("127.0.0.1", "localhost"), localhost)).status).toBe(503);
    });

    it("links the user of the name with directory_users, and no administrator", async () => {
      const other = await startManagement(itemsOf(url, { "authorizer.ldap.directory_users": true }));
      expect((await logIn("viewer", PASSWORD, other)).status).toBe(200);
      const { status, json } = await logIn("admin", PASSWORD, other);
      expect([status, json.message]).toEqual([401, expect.stringContaining("is an administrator")]);
      await other.close();
    });

    it("is away with 503 and Retry-After where the service's own bind is refused, and access keys go on", async () => {
      const other = await startManagement(itemsOf(url, { "authorizer.ldap.bind_password": "not it" }));
      const { status, headers } = await logIn("alice", PASSWORD, other);
      expect([status, Number(headers.get("retry-after")) > 0]).toEqual([503, true]);
      expect((await other.call("viewer", "GET", "/user")).status).toBe(200);
      await other.close();
    });
  });
});

describe("an LDAP server that cannot be trusted", () => {
  const startTls = { "authorizer.ldap.start_tls": true };

  async function logInAt(port: number, more: Record<string, unknown> = {}) {
    const api = await startManagement(itemsOf(`ldap://127.0.0.1:${port}`, more));
    const begun = performance.now();
    const answer = await api.call(undefined, "POST", "/auth/login", {
      body: { access_key_id: "alice", secret_access_key: PASSWORD },
    });
    const took = performance.now() - begun;
    await api.close();
    return { ...answer, took };
  }

  it("is given up after the timeout where it hangs, with 503", async () => {
    const { port, server } = await serverThatSays(() => undefined);
    const { status, took } = await logInAt(port);
    expect(status).toBe(503);
    expect(took).toBeLessThan(6_000);
    server.close();
  });

  it("gets nothing in clear text where it refuses StartTLS, or closes after it", async () => {
    const seen: Buffer[] = [];
    // ExtendedResponse, unavailable (52).
    const refusal = Buffer.from("300c02010178070a013404000400", "hex");
    const { port, server } = await serverThatSays((bytes) => {
      seen.push(bytes);
      return refusal;
    });
    expect((await logInAt(port, startTls)).status).toBe(503);
    expect(Buffer.concat(seen).toString("latin1")).not.toContain(PASSWORD);
    expect(Buffer.concat(seen).toString("latin1")).not.toContain(SERVICE.password);
    server.close();
  });

  it("says nothing that counts in clear text beside its answer to StartTLS", async () => {
    // The answer, and a BindResponse "success" for the message that follows.
    const answer = Buffer.from("300c02010178070a010004000400300c02010261070a010004000400", "hex");
    const seen: Buffer[] = [];
    const { port, server } = await serverThatSays((bytes) => {
      seen.push(bytes);
      return answer;
    });
    expect((await logInAt(port, startTls)).status).toBe(503);
    expect(seen.length).toBe(1);
    server.close();
  });
});

describe("authorizer.ldap", () => {
  it.each([
    ["a server elsewhere without TLS", { "authorizer.ldap.url": "ldap://ldap.example.com" }, /clear text/],
    ["an address of something else", { "authorizer.ldap.url": "https://ldap.example.com" }, /ldaps:\/\//],
    [
      "StartTLS within TLS",
      { "authorizer.ldap.url": "ldaps://x.org", "authorizer.ldap.start_tls": true },
      /from the beginning/,
    ],
    ["no place of people", { "authorizer.ldap.user_base_dn": "" }, /user_base_dn/],
    ["a filter that does not close", { "authorizer.ldap.user_filter": "(|(a=b)" }, /filter in parentheses/],
    ["two filters", { "authorizer.ldap.user_filter": "(a=b)(c=d)" }, /filter in parentheses/],
    [
      "an attribute that is a filter",
      { "authorizer.ldap.username_attribute": "uid=*)(x" },
      /name of an attribute/,
    ],
    ["a DN without password", { "authorizer.ldap.bind_password": "" }, /needs a password/],
  ])("refuses %s", async (_, items, message) => {
    const started = startManagement(itemsOf("ldap://127.0.0.1:1", items));
    await expect(started).rejects.toThrow(message);
  });
});
