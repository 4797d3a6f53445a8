/** A real data server whose clients sign in by this service (spec/sign-in §3, spec/sign-in §4). */

import { randomBytes } from "node:crypto";
import { devNull } from "node:os";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { calculatePKCECodeChallenge } from "openid-client";
import { describe, expect, it } from "vitest";
import { hashPassword } from "../../../src/identity/passwords/password-hash.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { TestBrowser } from "../../sign-in/browser.ts";
import { CLIENT, startProvider } from "../../sign-in/test-provider.ts";
import { givenDataServer } from "./given-data-server.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = givenDataServer();
const TOKEN = "token-of-the-data-server-0123456789abcdef";
const SECRET_KEY = "the secret key that both programs share";
const CALLBACK = "http://127.0.0.1:9/callback";

describe.skipIf(given === undefined)("data server: sts/login", () => {
  it("gives a login token to the person of a code, once", async () => {
    const provider = await closedAfterAll(startProvider([CALLBACK]));
    provider.claims = { sub: "s-1", preferred_username: "alice", groups: ["Developers"] };
    const service = await closedAfterAll(
      startAuthorizer({
        dataset: { format: 1, preconfigured: true } as unknown as DatasetDocument,
        config: {
          "authorizer.audit.output": devNull,
          "auth.api.token": TOKEN,
          "auth.encrypt.secret_key": SECRET_KEY,
          "authorizer.sign_in.origins": ["http://127.0.0.1:8000"],
          "authorizer.authentication_api.enabled": true,
          "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
          "authorizer.authentication_api.sts_issuer": "corp",
          "authorizer.authentication_api.sts_redirect_uris": [CALLBACK],
          "authorizer.oidc.issuers": [
            {
              name: "corp",
              issuer: provider.issuer,
              sign_in: true,
              client_id: CLIENT.id,
              client_secret: CLIENT.secret,
              username_claim: "preferred_username",
              assert_groups: ["Developers"],
              create_users: true,
            },
          ],
        } as never,
      }),
    );
    const dataServer = await closedAfterAll(
      RunningDataServer.start(given!, { kind: "local" }, false, {
        LAKEFS_AUTH_ENCRYPT_SECRET_KEY: SECRET_KEY,
        LAKEFS_AUTH_API_ENDPOINT: `${service.url}/api/v1`,
        LAKEFS_AUTH_API_TOKEN: TOKEN,
        LAKEFS_AUTH_AUTHENTICATION_API_ENDPOINT: `${service.url}/authentication/v1`,
        LAKEFS_AUTH_UI_CONFIG_RBAC: "external",
        LAKEFS_AUTH_CACHE_ENABLED: "false",
      }),
    );
    const state = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      client_id: CLIENT.id,
      response_type: "code",
      scope: "openid",
      redirect_uri: CALLBACK,
      code_challenge: await calculatePKCECodeChallenge(state),
      code_challenge_method: "S256",
    });
    const browser = new TestBrowser();
    const { url } = await browser.open(`${provider.issuer}/auth?${query}`, (at) => at.startsWith(CALLBACK));
    const body = { code: new URL(url).searchParams.get("code"), redirect_uri: CALLBACK, state };
    const login = () =>
      fetch(`${dataServer.url}/api/v1/sts/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const answer = await login();
    expect(answer.status).toBe(200);
    const { token } = (await answer.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const user = await fetch(`${dataServer.url}/api/v1/user`, { headers });
    expect(await user.json()).toMatchObject({ user: { id: "alice" } });
    expect((await fetch(`${dataServer.url}/api/v1/repositories`, { headers })).status).toBe(200);
    expect((await login()).status).toBe(401);
  });
});

describe.skipIf(given === undefined)("data server: remote authenticator", () => {
  it("logs in who has a password here, and nobody else", async () => {
    const service = await closedAfterAll(
      startAuthorizer({
        dataset: {
          format: 1,
          preconfigured: true,
          users: [{ username: "alice", groups: ["Developers"] }],
        } as unknown as DatasetDocument,
        config: {
          "authorizer.audit.output": devNull,
          "auth.api.token": TOKEN,
          "auth.encrypt.secret_key": SECRET_KEY,
          "authorizer.passwords.enabled": true,
          "authorizer.authentication_api.enabled": true,
          "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
        } as never,
      }),
    );
    const { directory } = service;
    const { userId } = await directory.sessions.get("alice");
    const password = "a long password of alice";
    await directory.passwords.set({ username: "alice", userId }, await hashPassword(password));
    const dataServer = await closedAfterAll(
      RunningDataServer.start(given!, { kind: "local" }, false, {
        LAKEFS_AUTH_ENCRYPT_SECRET_KEY: SECRET_KEY,
        LAKEFS_AUTH_API_ENDPOINT: `${service.url}/api/v1`,
        LAKEFS_AUTH_API_TOKEN: TOKEN,
        LAKEFS_AUTH_REMOTE_AUTHENTICATOR_ENABLED: "true",
        LAKEFS_AUTH_REMOTE_AUTHENTICATOR_ENDPOINT: `${service.url}/authentication/v1/remote`,
        LAKEFS_AUTH_UI_CONFIG_RBAC: "external",
        LAKEFS_AUTH_CACHE_ENABLED: "false",
      }),
    );
    const login = (access_key_id: string, secret_access_key: string) =>
      fetch(`${dataServer.url}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ access_key_id, secret_access_key }),
      });
    const answer = await login("alice", password);
    expect(answer.status).toBe(200);
    const { token } = (await answer.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const user = await fetch(`${dataServer.url}/api/v1/user`, { headers });
    expect(await user.json()).toMatchObject({ user: { id: "alice" } });
    expect((await login("alice", "wrong")).status).toBe(401);
    expect((await login("nobody", password)).status).toBe(401);
  });
});
