/** Session cookies between a real lakeFS and forward-auth: each takes those of the other (spec/sign-in §5). */
import { devNull } from "node:os";
import { setTimeout } from "node:timers/promises";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sealSession } from "../../../src/identity/session-cookies/sealed-cookie.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const ENCRYPTION = "a-key-that-both-servers-of-this-test-have";
const NAMES = ["internal_auth_session", "oidc_auth_session"] as const;
const given = givenDataServer();

describe.skipIf(given === undefined)("data server: session cookies", () => {
  const closing: (() => unknown)[] = [];
  let users: TestAuthorizer;
  let server: RunningDataServer;

  beforeAll(async () => {
    users = await startAuthorizer({
      config: {
        "authorizer.audit.output": devNull,
        "auth.encrypt.secret_key": ENCRYPTION,
        "authorizer.partition": "lakefs",
        "authorizer.forward_auth.proxy": "nginx",
        "auth.ui_config.login_cookie_names": NAMES,
      },
    });
    closing.push(() => users.close());
    server = await RunningDataServer.start(given as GivenDataServer, { kind: "local" }, true, {
      LAKEFS_AUTH_ENCRYPT_SECRET_KEY: ENCRYPTION,
      LAKEFS_AUTH_UI_CONFIG_RBAC: "internal",
      LAKEFS_AUTH_CACHE_ENABLED: "false",
      LAKEFS_AUTH_API_ENDPOINT: `${users.url}/api/v1`,
      LAKEFS_AUTH_API_TOKEN: users.token,
    });
    closing.push(() => server.close());
    // Cookies are dated in whole seconds: one of the second in which its user was made may be of an earlier user of the name.
    await setTimeout(1_000 - (Date.now() % 1_000));
  });

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function signIn(): Promise<{ readonly cookie: string; readonly token: string }> {
    const answer = await fetch(`${server.url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_key_id: KEY, secret_access_key: SECRET }),
    });
    const { token } = (await answer.json()) as { token: string };
    const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
    return { cookie, token };
  }

  /** The user whom forward-auth finds, or its status. */
  async function asked(cookie: string): Promise<string | number> {
    const answer = await fetch(`${users.url}/forward-auth`, {
      headers: {
        cookie,
        "x-original-method": "GET",
        "x-original-uri": "/api/v1/repositories",
        "x-original-host": "data.example.com",
      },
    });
    return answer.status === 200 ? (answer.headers.get("x-svc-user") ?? "") : answer.status;
  }

  /** The user whom the data server finds, or its status. */
  async function served(cookie: string): Promise<string | number> {
    const answer = await fetch(`${server.url}/api/v1/user`, { headers: { cookie } });
    const { user } = (await answer.json()) as { user?: { id: string } };
    return user?.id ?? answer.status;
  }

  it("the one that the data server sets at its own log-in passes forward-auth", async () => {
    const { cookie } = await signIn();
    expect(cookie).toMatch(/^internal_auth_session=/);
    expect(await served(cookie)).toBe("admin");
    expect(await asked(cookie)).toBe("admin");
    expect(await asked(cookie.slice(0, -3))).toBe(401);
  });

  it("one that this service seals is a log-in at the data server", async () => {
    const { token } = await signIn();
    const issuedAt = Math.floor(Date.now() / 1_000);
    const value = sealSession(NAMES[0], { key: "token", token }, { key: Buffer.from(ENCRYPTION), issuedAt });
    expect(await served(`${NAMES[0]}=${value}`)).toBe("admin");
    expect(await asked(`${NAMES[0]}=${value}`)).toBe("admin");
  });

  it("oidc_auth_session: both find the user by external id, and only forward-auth makes none", async () => {
    const name = "oidc_auth_session";
    const claims = new Map([["sub", `${name}-user`]]);
    const issuedAt = Math.floor(Date.now() / 1_000) + 1;
    const value = { key: "id_token_claims", claims } as const;
    const cookie = `${name}=${sealSession(name, value, { key: Buffer.from(ENCRYPTION), issuedAt })}`;
    expect(await asked(cookie)).toBe(401);
    expect(await served(cookie)).toBe(`${name}-user`);
    // Now it exists, without any right.
    expect(await asked(cookie)).toBe(403);
  });
});
