/** `sts/login` with a real OpenID provider (spec/sign-in §3). */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { calculatePKCECodeChallenge } from "openid-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call } from "../../http/call.ts";
import { TestBrowser } from "../../sign-in/browser.ts";
import { CLIENT, startProvider } from "../../sign-in/test-provider.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const CALLBACK = "http://127.0.0.1:9/callback";
const log = join(temporaryFolder(), "audit.log");
const provider = await closedAfterAll(startProvider([CALLBACK, "http://127.0.0.1:9/other"]));
const authorizer = await closedAfterAll(
  startAuthorizer({
    config: {
      "authorizer.audit.output": log,
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
          create_users: true,
        },
      ],
    } as never,
  }),
);
const { directory } = authorizer;
beforeEach(() => {
  provider.claims = { sub: "s-1", preferred_username: "alice", groups: ["a"] };
});
afterEach(() => authorizer.reset());

/** A code as a client gets it. */
async function codeFor(verifier: string, redirect_uri = CALLBACK): Promise<string> {
  const query = new URLSearchParams({
    client_id: CLIENT.id,
    response_type: "code",
    scope: "openid",
    redirect_uri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const { url } = await new TestBrowser().open(`${provider.issuer}/auth?${query}`, (at) =>
    at.startsWith(redirect_uri),
  );
  return new URL(url).searchParams.get("code") ?? "";
}

const newVerifier = () => randomBytes(32).toString("base64url");

async function login(body: unknown) {
  const answer = await call(authorizer.url, "POST", "/authentication/v1/sts/login", { body });
  return { status: answer.status, json: answer.body as { claims?: Record<string, string> } };
}

describe("a code of a client", () => {
  it("says who it is by the external id that the directory then has", async () => {
    const state = newVerifier();
    const { status, json } = await login({ code: await codeFor(state), redirect_uri: CALLBACK, state });
    expect(status).toBe(200);
    expect(json.claims).toMatchObject({ sub: "corp:s-1", preferred_username: "alice" });
    expect(Object.values(json.claims ?? {}).every((value) => typeof value === "string")).toBe(true);
    const found = await call(authorizer.url, "GET", "/api/v1/auth/users?external_id=corp:s-1&amount=2", {
      headers: { authorization: `Bearer ${authorizer.token}` },
    });
    expect(found.body.results).toHaveLength(1);
  });

  it("replayed, or with another verifier, is refused", async () => {
    const state = newVerifier();
    const code = await codeFor(state);
    expect((await login({ code, redirect_uri: CALLBACK, state: newVerifier() })).status).toBe(401);
    const again = newVerifier();
    const used = { code: await codeFor(again), redirect_uri: CALLBACK, state: again };
    expect((await login(used)).status).toBe(200);
    expect((await login(used)).status).toBe(401);
  });

  it("is audited where nobody knows whether it made the user", async () => {
    const { provisioning } = directory;
    directory.provisioning = (isProtected) => {
      directory.provisioning = provisioning;
      const signIn = async () => {
        throw new AuthorizerError("outcome_unknown", "nobody knows");
      };
      return { ...provisioning(isProtected), signIn };
    };
    const state = newVerifier();
    expect((await login({ code: await codeFor(state), redirect_uri: CALLBACK, state })).status).toBe(503);
    await expect
      .poll(() => readFileSync(log, "utf8"))
      .toMatch(/"event":"login".*"how":"sts_login","issuer":"corp","user":"alice","outcome":"unknown"/);
  });

  it("of an inactive user is refused", async () => {
    const state = newVerifier();
    await login({ code: await codeFor(state), redirect_uri: CALLBACK, state });
    await directory.users.update("alice", { inactive: true });
    const next = newVerifier();
    expect((await login({ code: await codeFor(next), redirect_uri: CALLBACK, state: next })).status).toBe(
      401,
    );
  });

  it.each([
    ["a redirect that nobody configured", { redirect_uri: "http://127.0.0.1:9/other" }],
    ["a member that nobody knows", { issuer: "x" }],
    ["a member that is missing", { state: undefined }],
    ["a number", { code: 1 }],
  ])("with %s is refused before anybody is asked", async (_, more) => {
    const body = { code: "x", redirect_uri: CALLBACK, state: newVerifier(), ...more };
    expect((await login(body)).status).toBe(400);
  });
});
