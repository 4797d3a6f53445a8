import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openingPage } from "../../../src/api/management/invitations/invite-html.ts";
import { type MailServer, startServer, stopServers, tokenOf } from "../../mail/mail-server.ts";
import { type Management, startManagement } from "./kit.ts";

let api: Management;
let mails: MailServer;
beforeAll(async () => {
  mails = await startServer();
  api = await startManagement({
    "email.smtp_host": "127.0.0.1",
    "email.smtp_port": mails.port,
    "email.sender": "data@example.com",
  });
});
afterAll(async () => {
  await api?.close();
  await stopServers();
});

const page = (target: string, init: RequestInit = {}) => fetch(`${api.authorizer.userUrl}${target}`, init);

function press(token: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ token });
  return page("/auth/invite", { method: "POST", body, headers });
}

async function invited(id: string): Promise<string> {
  const before = mails.mails.length;
  const { status, json } = await api.call("admin", "POST", "/auth/users", {
    body: { id, invite_user: true },
  });
  expect([status, json.id, json.email]).toEqual([201, id.toLowerCase(), id.toLowerCase()]);
  await expect.poll(() => mails.mails.length).toBe(before + 1);
  return tokenOf(mails.mails[before]!);
}

const shown = (html: string, name: string) =>
  new RegExp(`<dt>${name}</dt><dd>([^<]+)</dd>`).exec(html)?.[1] ?? "";

describe("the link of an invitation", () => {
  it("uses nothing up when it is opened, and gives a key that works, once", async () => {
    const token = await invited("New.User@example.com");
    for (const method of ["GET", "HEAD", "GET"]) {
      const opened = await page(`/auth/invite?token=${token}`, { method });
      expect(opened.status).toBe(200);
      expect(await opened.text()).not.toContain("AKIA");
    }
    const answer = await press(token, { "sec-fetch-site": "same-origin" });
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const key = {
      access_key_id: shown(html, "Access key ID"),
      secret_access_key: shown(html, "Secret access key"),
    };
    expect((await api.call(key, "GET", "/user")).json.user.id).toBe("new.user@example.com");
    const again = await press(token);
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining("was already used")]);
    const opened = await page(`/auth/invite?token=${token}`);
    expect([opened.status, await opened.text()]).toEqual([410, expect.stringContaining("was already used")]);
    await expect.poll(() => JSON.stringify(api.audit())).toContain("redeemInvitation");
    for (const secret of [token, key.secret_access_key])
      expect(JSON.stringify(api.audit())).not.toContain(secret);
  });

  it("of several that press at once one gets a key", async () => {
    const token = await invited("racer@example.com");
    const answers = await Promise.all(Array.from({ length: 5 }, () => press(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    const { json } = await api.call("admin", "GET", "/auth/users/racer@example.com/credentials");
    expect(json.results.length).toBe(1);
  });

  it("opens no account of the same name that came later", async () => {
    const token = await invited("gone@example.com");
    await api.call("admin", "DELETE", "/auth/users/gone@example.com");
    await api.call("admin", "POST", "/auth/users", { body: { id: "gone@example.com" } });
    const opened = await page(`/auth/invite?token=${token}`);
    expect([opened.status, await opened.text()]).toEqual([410, expect.stringContaining("was deleted")]);
    const pressed = await press(token);
    expect([pressed.status, await pressed.text()]).toEqual([404, expect.stringContaining("was deleted")]);
  });

  it("gives no key of an account of the same name that comes while it is pressed", async () => {
    const token = await invited("replaced@example.com");
    const { credentials } = api.authorizer.directory;
    const { create } = credentials;
    credentials.create = async (...asked) => {
      credentials.create = create;
      await api.call("admin", "DELETE", "/auth/users/replaced@example.com");
      await api.call("admin", "POST", "/auth/users", { body: { id: "replaced@example.com" } });
      return create(...asked);
    };
    const pressed = await press(token);
    expect([pressed.status, await pressed.text()]).toEqual([404, expect.stringContaining("was deleted")]);
    const { status, json } = await api.call("admin", "GET", "/auth/users/replaced@example.com/credentials");
    expect([status, json.results]).toEqual([200, []]);
  });

  it("holds on where no key could be made", async () => {
    const token = await invited("unlucky@example.com");
    const { credentials } = api.authorizer.directory;
    const { create } = credentials;
    credentials.create = async () => {
      credentials.create = create;
      throw new AuthorizerError("unavailable", "the database cannot be reached");
    };
    expect((await press(token)).status).toBe(503);
    expect((await page(`/auth/invite?token=${token}`)).status).toBe(200);
    expect((await press(token)).status).toBe(200);
    expect((await press(token)).status).toBe(404);
    const { json } = await api.call("admin", "GET", "/auth/users/unlucky@example.com/credentials");
    expect(json.results).toHaveLength(1);
  });

  it.each([
    ["got another address", { email: "right@example.com" }],
    ["was made inactive", { inactive: true }],
  ])("gives no key of a user who %s while it is pressed", async (_, change) => {
    const id = `late-${"email" in change}@example.com`;
    const token = await invited(id);
    const { credentials } = api.authorizer.directory;
    const { create } = credentials;
    credentials.create = async (...asked) => {
      credentials.create = create;
      expect((await api.call("admin", "PATCH", `/auth/users/${id}`, { body: change })).status).toBe(200);
      return create(...asked);
    };
    expect((await press(token)).status).toBe(404);
    const { json } = await api.call("admin", "GET", `/auth/users/${id}/credentials`);
    expect(json.results).toEqual([]);
  });

  it("is sent to nobody where the user that it is for is not created", async () => {
    const { users } = api.authorizer.directory;
    const { create } = users;
    users.create = async (user) => {
      users.create = create;
      // Somebody else is faster, and invites nobody.
      await create(user);
      return create(user);
    };
    const before = mails.mails.length;
    const body = { id: "raced@example.com", invite_user: true };
    expect((await api.call("admin", "POST", "/auth/users", { body })).status).toBe(409);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(mails.mails.length).toBe(before);
  });

  it("is not pressed by another site", async () => {
    const token = await invited("victim@example.com");
    expect((await press(token, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await press(token)).status).toBe(200);
  });
});

describe("the page", () => {
  it("runs no script, cannot be framed, is not stored and sends no Referer", async () => {
    const { headers } = await page("/auth/invite?token=x");
    const policy = headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none';style-src 'sha256-[^']+';form-action 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|script/);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each(["", "x", '"><script>x</script>', "A".repeat(43)])(
    "of a link that was never sent (%j) says so and shows nothing of it",
    async (token) => {
      const answer = await page(`/auth/invite?token=${encodeURIComponent(token)}`);
      const html = await answer.text();
      expect([answer.status, html]).toEqual([404, expect.stringContaining("is not known")]);
      expect(html).not.toMatch(/<script>|<form|AAAA/);
    },
  );

  it("shows a token as text, whatever is in it", () => {
    expect(
      openingPage({ kind: "invitation", token: '"><script>x</script>', minLength: undefined }),
    ).toContain("&quot;&gt;&lt;script&gt;");
  });

  it("of a service without an administrator says that too", async () => {
    const fresh = await startAuthorizer({ config: { "authorizer.bootstrap": "simplified" } });
    try {
      const answer = await fetch(`${fresh.userUrl}/auth/invite?token=x`);
      expect([answer.status, await answer.text()]).toEqual([
        404,
        expect.stringContaining("has not been done"),
      ]);
    } finally {
      await fresh.close();
    }
  });

  it.each([
    ["an unknown token", { method: "POST", body: new URLSearchParams({ token: "x" }) }, 404],
    ["no token", { method: "POST", body: new URLSearchParams() }, 404],
    ["JSON", { method: "POST", body: "{}", headers: { "content-type": "application/json" } }, 415],
    ["a large form", { method: "POST", body: new URLSearchParams({ token: "x".repeat(9000) }) }, 413],
    ["two tokens", { method: "POST", body: new URLSearchParams("token=a&token=b") }, 400],
    ["another method", { method: "DELETE" }, 405],
  ] as const)("answers %s with a page", async (_title, init, status) => {
    const answer = await page("/auth/invite", init as RequestInit);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
    expect(await answer.text()).toContain("This did not work");
  });
});

it("capabilities tell that users can be invited", async () => {
  expect((await api.call(undefined, "GET", "/auth/capabilities")).json.invite_user).toBe(true);
  const { status } = await api.call("admin", "POST", "/auth/users", {
    body: { id: "viewer", invite_user: true },
  });
  expect(status).toBe(400);
});
